#include <QtTest>
#include <random>

#include "detectors/detector_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;
using quantscope::test::kPerTensor;

/// Findings that say the same about one tensor are merged into one.
class MergeFindingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneOfWeights();
  void oneOfAGrid();
  void outliersOfManyChannelsMustHelp();
  void nothingIsMergedForPyTorch();
};

namespace {

// One channel of the weights far wider than the others.
constexpr const char* kDominated = R"(
  input x:float[1,1,8,8]
  w:float[6,1,1,1]{1, 1.1, 40, 0.9, 1, 1.2}
  y = Conv(x, w) @layer
  output y
)";

std::vector<Tensor> noiseWithOutliers(const Shape& shape, double far, std::size_t every) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Tensor> samples;
  for (int s = 0; s < 6; ++s) {
    samples.push_back(
        filled(shape, [&](std::size_t i) { return i % every == 7 ? far : normal(random); }));
  }
  return samples;
}

QStringList idsOf(const DetectorCase& testCase) {
  QStringList ids;
  for (const Finding& finding : testCase.report().findings) {
    ids << QString::fromStdString(finding.id);
  }
  return ids;
}

}  // namespace

void MergeFindingsTest::oneOfWeights() {
  const DetectorCase testCase(kDominated, noiseWithOutliers({1, 1, 8, 8}, 1, 64), kPerTensor);
  QCOMPARE(testCase.findings("per_channel").size(), std::size_t{0});
  std::vector<Finding> left = testCase.findings("channel_dominance");
  std::erase_if(left, [](const Finding& finding) { return !finding.aboutWeights; });
  QCOMPARE(left.size(), std::size_t{1});
  QCOMPARE(left[0].id, std::string("channel_dominance/layer/weights"));
}

// The far values of one channel, seen by two layers, and the width of that channel beside.
void MergeFindingsTest::oneOfAGrid() {
  constexpr const char* kText = R"(
    input x:float[1,6,8,8]
    w:float[2,6,1,1]
    v:float[3,6,1,1]
    y = Conv(x, w) @first
    z = Conv(x, v) @second
    output y
    output z
  )";
  const DetectorCase testCase(kText, noiseWithOutliers({1, 6, 8, 8}, 60, 384));
  const std::vector<Finding> outliers = testCase.findings("outlier");
  QCOMPARE(outliers.size(), std::size_t{1});
  QCOMPARE(outliers[0].id, std::string("outlier/first"));
  QVERIFY(outliers[0].channels == std::vector<std::int64_t>{0});
  QCOMPARE(testCase.findings("channel_dominance").size(), std::size_t{0});
}

// Where all channels reach as far, the few far values of each are no fault by themselves.
void MergeFindingsTest::outliersOfManyChannelsMustHelp() {
  constexpr const char* kText = R"(
    input x:float[1,3,16,16]
    w:float[2,3,1,1]
    y = Conv(x, w) @layer
    output y
  )";
  for (const double far : {6.0, 60.0}) {
    const DetectorCase testCase(kText, noiseWithOutliers({1, 3, 16, 16}, far, 64));
    const DetectorReport report = testCase.report();
    std::size_t told = 0;
    for (const std::vector<Finding>* findings : {&report.findings, &report.unproven}) {
      for (const Finding& finding : *findings) {
        if (finding.detector != "outlier") continue;
        ++told;
        QVERIFY(finding.onlyIfItHelps);
        QVERIFY(findings == &report.unproven || finding.suggestion->gainDb > 0);
      }
    }
    QCOMPARE(told, far > 10 ? std::size_t{1} : std::size_t{0});
    const DetectorCase theirs(kText, noiseWithOutliers({1, 3, 16, 16}, far, 64), "",
                              DetectorMode::PyTorch);
    QVERIFY(theirs.report().unproven.empty());
  }
}

void MergeFindingsTest::nothingIsMergedForPyTorch() {
  const DetectorCase ours(kDominated, noiseWithOutliers({1, 1, 8, 8}, 1, 64), kPerTensor);
  const DetectorCase theirs(kDominated, noiseWithOutliers({1, 1, 8, 8}, 1, 64), kPerTensor,
                            DetectorMode::PyTorch);
  QVERIFY(!idsOf(ours).contains("per_channel/layer"));
  QVERIFY(idsOf(theirs).contains("per_channel/layer"));
}

QUANTSCOPE_TEST(MergeFindingsTest)
#include "test_merge_findings.moc"
