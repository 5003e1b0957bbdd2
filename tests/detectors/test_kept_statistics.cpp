#include <QtTest>
#include <random>

#include "detectors/detector_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;

/// Suggestions need no statistics that calibration has not kept.
class KeptStatisticsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rangesOfChannels_data();
  void rangesOfChannels();
};

namespace {

// Noise with one far value in channel 0.
std::vector<Tensor> noiseWithOneOutlier() {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Tensor> samples;
  for (int s = 0; s < 6; ++s) {
    samples.push_back(
        filled({1, 6, 8, 8}, [&](std::size_t i) { return i == 7 ? 60 : normal(random); }));
  }
  return samples;
}

std::string observing(const QString& granularity, const QString& observer) {
  return QString(R"({"quantscope": 1, "backend": "generic", "default":
      {"activation": {"granularity": "%1", "observer": "%2"}}})")
      .arg(granularity, observer)
      .toStdString();
}

}  // namespace

void KeptStatisticsTest::rangesOfChannels_data() {
  QTest::addColumn<QString>("granularity");
  QTest::addColumn<QString>("observer");
  QTest::addColumn<bool>("suggested");
  QTest::newRow("of the tensor") << "per-tensor"
                                 << "minmax" << true;
  QTest::newRow("of channels, extremes") << "per-channel:1"
                                         << "minmax" << false;
  QTest::newRow("of channels, averages") << "per-channel:1"
                                         << "moving-average" << false;
  QTest::newRow("of channels, histograms") << "per-channel:1"
                                           << "percentile:0:100" << true;
}

void KeptStatisticsTest::rangesOfChannels() {
  QFETCH(QString, granularity);
  QFETCH(QString, observer);
  QFETCH(bool, suggested);
  constexpr const char* kText = R"(
    input x:float[1,6,8,8]
    w:float[2,6,1,1]
    y = Conv(x, w) @layer
    output y
  )";
  const DetectorCase testCase(kText, noiseWithOneOutlier(), observing(granularity, observer));
  const std::vector<Finding> found = testCase.findings("outlier");
  QCOMPARE(found.size(), std::size_t{1});
  QVERIFY(found[0].channels == std::vector<std::int64_t>{0});
  QCOMPARE(found[0].suggestion.has_value(), suggested);
  QCOMPARE(suggested && found[0].suggestion->gainDb.has_value(), suggested);
}

QUANTSCOPE_TEST(KeptStatisticsTest)
#include "test_kept_statistics.moc"
