#include <QFileInfo>
#include <QtTest>
#include <cmath>

#include "analysis/analyze.h"
#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "detectors/changes/apply_changes.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/analysis/simulate_gains.h"
#include "jobs/quantize_model.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;

/// The simulated gain of a suggestion is that of an analysis of the changed configuration.
class SimulatedGainsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGainIsWhatApplyingGives_data();
  void everyGainIsWhatApplyingGives();
  void sameForAnyThreads();
  void gainsArriveBitByBit();
  void unprovenFindingsMustHelp();
  void cancelStops();
};

namespace {

constexpr const char* kPerTensor =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";

/// A model, its data, and all that leads to findings.
struct Analysed {
  Analysed(const QString& stem, std::size_t count, const std::string& configJson, int threads)
      : workers(threads), job(workers), model(loadModel((stem + ".onnx").toStdString(), job)) {
    if (!configJson.empty()) config = parseConfiguration(configJson, "config");
    SourceOptions options;
    options.samples = count;
    samples = std::make_unique<SampleSet>(
        openSamples((stem + ".npz").toStdString(), *model.graph, options));
    run(config, calibrated, result);
    report = findFaults(model, config, calibrated.model, calibrated.observations, result,
                        DetectorMode::Quantscope);
  }

  void run(const Configuration& under, CalibratedModel& quantized, AnalysisResult& analysed) {
    quantized = calibrateAndQuantize(model, under, *samples, 1, job);
    analysed = analyze(*model.engine, under, quantized.model, quantized.observations, *samples, {},
                       memory, job);
  }

  void simulate(const GainSink& soFar = {}) {
    simulateGains(model, config, calibrated.model, calibrated.observations, result, *samples,
                  memory, job, report, soFar);
  }

  double sqnrUnder(const Configuration& changed) {
    CalibratedModel quantized;
    AnalysisResult analysed;
    run(changed, quantized, analysed);
    return *worstOutputSqnr(analysed.outputs);
  }

  Workers workers;
  JobContext job;
  LoadedModel model;
  Configuration config;
  std::unique_ptr<SampleSet> samples;
  AnalysisMemory memory{std::size_t{256} << 20};
  CalibratedModel calibrated;
  AnalysisResult result;
  DetectorReport report;
};

QString sample(const char* name) {
  return QString(QUANTSCOPE_SAMPLES_DIRECTORY "/") + name;
}

std::vector<Finding> allFindings(const DetectorReport& report) {
  std::vector<Finding> all = report.findings;
  all.insert(all.end(), report.unproven.begin(), report.unproven.end());
  return all;
}

std::map<std::string, double> gainsOf(const DetectorReport& report) {
  std::map<std::string, double> gains;
  for (const Finding& finding : allFindings(report)) {
    if (finding.suggestion && finding.suggestion->gainDb) {
      gains[finding.id] = *finding.suggestion->gainDb;
    }
  }
  return gains;
}

}  // namespace

void SimulatedGainsTest::everyGainIsWhatApplyingGives_data() {
  QTest::addColumn<QString>("stem");
  QTest::addColumn<int>("samples");
  QTest::addColumn<QString>("config");
  for (const char* name : {"digits_mobilenet", "digits_transformer"}) {
    QTest::newRow(name) << sample(name) << 8 << "";
    QTest::addRow("%s, weights per tensor", name) << sample(name) << 8 << kPerTensor;
  }
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  const std::tuple<const char*, int, const char*> kept[] = {
      {"mobilenet_v1_025_224_imagenet", 3, kPerTensor},
      {"cifar10_resnet8_bn", 6, kPerTensor},
      {"vww_mobilenet025_96_bn", 4, ""},
      {"vittracker", 2, ""},
      {"squeezenet_fp32", 2, ""},
  };
  for (const auto& [name, samples, config] : kept) {
    const QString stem = models + "/" + name;
    if (QFileInfo::exists(stem + ".npz")) QTest::newRow(name) << stem << samples << config;
  }
}

void SimulatedGainsTest::everyGainIsWhatApplyingGives() {
  QFETCH(QString, stem);
  QFETCH(int, samples);
  QFETCH(QString, config);
  Analysed analysed(stem, static_cast<std::size_t>(samples), config.toStdString(), 2);
  analysed.simulate();
  const double before = *worstOutputSqnr(analysed.result.outputs);
  std::map<std::string, double> known;  // by configuration: many suggest the same
  int checked = 0;
  int equalized = 0;
  double worst = 0;
  for (const Finding& finding : allFindings(analysed.report)) {
    if (!finding.suggestion || !finding.suggestion->gainDb) continue;
    if (finding.suggestion->changes.empty()) continue;
    const Configuration changed =
        editOf(analysed.config, *analysed.model.graph, finding.suggestion->changes, {})
            .apply(analysed.config);
    const auto [entry, isNew] = known.try_emplace(toJson(changed), 0);
    if (isNew) entry->second = analysed.sqnrUnder(changed) - before;
    const double difference = std::abs(entry->second - *finding.suggestion->gainDb);
    QVERIFY2(difference < 1e-9, finding.id.c_str());
    worst = std::max(worst, difference);
    ++checked;
    if (finding.detector == "equalization") ++equalized;
  }
  qInfo("%s: %d suggestions with a gain (%d equalize), off by %.1e dB at most", qPrintable(stem),
        checked, equalized, worst);
  QVERIFY(checked > 0);
}

void SimulatedGainsTest::sameForAnyThreads() {
  const auto gains = [](int threads) {
    Analysed analysed(sample("digits_mobilenet"), 7, kPerTensor, threads);
    analysed.simulate();
    return gainsOf(analysed.report);
  };
  const std::map<std::string, double> alone = gains(1);
  QVERIFY(alone.size() > 20);
  QVERIFY(gains(3) == alone);
}

// A gain that was reported stays as it is, and in the end there are the most.
void SimulatedGainsTest::gainsArriveBitByBit() {
  Analysed analysed(sample("digits_mobilenet"), 8, kPerTensor, 2);
  std::vector<std::map<std::string, double>> steps;
  analysed.simulate([&](const DetectorReport& report) {
    steps.push_back(gainsOf(report));
    // It says that all are known.
    QVERIFY(!report.outputSqnrDb);
  });
  QVERIFY(!steps.empty());
  QVERIFY(analysed.report.outputSqnrDb.has_value());
  steps.push_back(gainsOf(analysed.report));
  for (std::size_t i = 1; i < steps.size(); ++i) {
    QVERIFY(steps[i].size() > steps[i - 1].size());
    for (const auto& [id, gain] : steps[i - 1]) QVERIFY(steps[i].at(id) == gain);
  }
}

void SimulatedGainsTest::unprovenFindingsMustHelp() {
  Analysed analysed(sample("digits_mobilenet"), 8, "", 2);
  QVERIFY(!analysed.report.unproven.empty());
  const std::size_t before = allFindings(analysed.report).size();
  analysed.simulate();
  QCOMPARE(allFindings(analysed.report).size(), before);
  std::size_t proven = 0;
  for (const Finding& finding : analysed.report.findings) {
    if (!finding.onlyIfItHelps) continue;
    QVERIFY2(*finding.suggestion->gainDb >= kClearGainDb, finding.id.c_str());
    ++proven;
  }
  QVERIFY(proven > 0);
  for (const Finding& finding : analysed.report.unproven) {
    QVERIFY2(finding.suggestion->gainDb.value_or(0) < kClearGainDb, finding.id.c_str());
  }
}

void SimulatedGainsTest::cancelStops() {
  Analysed analysed(sample("digits_mobilenet"), 8, kPerTensor, 2);
  int reports = 0;
  QVERIFY_EXCEPTION_THROWN(analysed.simulate([&](const DetectorReport&) {
    ++reports;
    analysed.job.requestCancel();
  }),
                           Cancelled);
  QCOMPARE(reports, 1);
}

QUANTSCOPE_TEST(SimulatedGainsTest)
#include "test_simulated_gains.moc"
