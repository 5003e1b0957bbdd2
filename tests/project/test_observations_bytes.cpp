#include <QtTest>
#include <cstring>

#include "base/workers.h"
#include "calibration/calibrate.h"
#include "calibration/observers/observations_bytes.h"
#include "calibration/open_samples.h"
#include "jobs/quantize_model.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;

namespace {

// Every observer, histograms of channels, two moving averages, both reports.
constexpr const char* kEverything = R"({"quantscope": 1, "default":
  {"activation": {"observer": "moving-average:0.1"}, "output": {"observer": "moving-average"}},
  "nodes": {"/stem/conv/Conv": {"activation": {"granularity": "per-channel",
                                                  "observer": "histogram"}}}})";

struct Calibrated {
  explicit Calibrated(const char* name, std::size_t samples = 6)
      : job(workers),
        model(loadModel(std::string(QUANTSCOPE_SAMPLES_DIRECTORY "/") + name + ".onnx", job)) {
    SourceOptions options;
    options.samples = samples;
    const std::unique_ptr<SampleSource> source = openSamples(
        std::string(QUANTSCOPE_SAMPLES_DIRECTORY "/") + name + ".npz", *model.graph, options);
    ObservationSettings settings =
        observationSettings(parseConfiguration(kEverything, "config"), 2, DetectorMode::PyTorch);
    observations = calibrate(*model.engine, *source, settings, job);
  }

  std::string bytes() const { return observationsToBytes(observations, *model.graph); }

  Workers workers{2};
  JobContext job;
  LoadedModel model;
  Observations observations;
};

std::string withObserver(const char* observer) {
  return std::string(R"({"quantscope": 1, "default": {"activation": {"observer": ")") + observer +
         R"("}, "output": {"observer": ")" + observer + "\"}}}";
}

}  // namespace

/// Observations that were written and read again are what they were, bit for bit.
class ObservationsBytesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyBitIsKept();
  void theyQuantizeAlike_data();
  void theyQuantizeAlike();
  void damagedBytesAreRefused_data();
  void damagedBytesAreRefused();
  void noCutIsTakenForTheWhole();
  void anotherModelIsRefused();
};

void ObservationsBytesTest::everyBitIsKept() {
  const Calibrated calibrated("digits_mobilenet");
  const std::string bytes = calibrated.bytes();
  const Observations again = observationsFromBytes(bytes, *calibrated.model.graph, "kept");
  QCOMPARE(again.samples(), calibrated.observations.samples());
  QCOMPARE(again.observedCount(), calibrated.observations.observedCount());
  QVERIFY(observationsToBytes(again, *calibrated.model.graph) == bytes);
}

void ObservationsBytesTest::theyQuantizeAlike_data() {
  QTest::addColumn<QByteArray>("observer");
  for (const char* observer : {"minmax", "moving-average:0.1", "histogram", "percentile:0.1:99.9",
                               "mse", "kl", "max-code-entropy"}) {
    QTest::newRow(observer) << QByteArray(observer);
  }
}

void ObservationsBytesTest::theyQuantizeAlike() {
  QFETCH(QByteArray, observer);
  const Calibrated calibrated("digits_mobilenet");
  const Observations again =
      observationsFromBytes(calibrated.bytes(), *calibrated.model.graph, "kept");
  const Configuration config = parseConfiguration(withObserver(observer.constData()), "config");
  const QuantizedModel before =
      quantizeModel(*calibrated.model.engine, config, calibrated.observations);
  const QuantizedModel after = quantizeModel(*calibrated.model.engine, config, again);
  QVERIFY(before.groupParams == after.groupParams);
  QVERIFY(changesBetween(before.applied, after.applied).empty());
}

void ObservationsBytesTest::damagedBytesAreRefused_data() {
  QTest::addColumn<int>("at");
  QTest::addColumn<QString>("told");
  QTest::newRow("the beginning") << 0 << "are none";
  QTest::newRow("the version") << 8 << "are of version";
  QTest::newRow("a number") << 200 << "are damaged";
  QTest::newRow("the checksum") << -1 << "are damaged";
}

void ObservationsBytesTest::damagedBytesAreRefused() {
  QFETCH(int, at);
  QFETCH(QString, told);
  const Calibrated calibrated("digits_mobilenet", 1);
  std::string bytes = calibrated.bytes();
  bytes[at < 0 ? bytes.size() - 1 : static_cast<std::size_t>(at)] ^= 0x10;
  VERIFY_ERROR(observationsFromBytes(bytes, *calibrated.model.graph, "kept"), told.toStdString());
}

void ObservationsBytesTest::noCutIsTakenForTheWhole() {
  const Calibrated calibrated("digits_mobilenet", 1);
  const std::string bytes = calibrated.bytes();
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 97) {
    VERIFY_ERROR(observationsFromBytes(bytes.substr(0, length), *calibrated.model.graph, "kept"),
                 std::string("the kept observations"));
  }
  VERIFY_ERROR(observationsFromBytes(bytes + "x", *calibrated.model.graph, "kept"),
               std::string("are damaged"));
}

void ObservationsBytesTest::anotherModelIsRefused() {
  const Calibrated one("digits_mobilenet", 1);
  const Calibrated other("digits_transformer", 1);
  VERIFY_ERROR(observationsFromBytes(one.bytes(), *other.model.graph, "kept"),
               std::string("are of another model"));
}

QUANTSCOPE_TEST(ObservationsBytesTest)
#include "test_observations_bytes.moc"
