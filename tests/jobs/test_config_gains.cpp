#include <QtTest>
#include <algorithm>
#include <cmath>

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/sensitivity_estimate.h"
#include "base/median.h"
#include "calibration/sample_subset.h"
#include "calibration/spread_feeds.h"
#include "jobs/analysis/config_gains.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/sample_network.h"
#include "jobs/work_done.h"
#include "precision/edits/type_choices.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

SnapshotPtr gainsBase(const LoadedModel& model, const std::shared_ptr<SampleSet>& data,
                      AnalysisMemory& memory, JobContext& job, const Configuration& config = {}) {
  AnalysisRequest request;
  request.config = config;
  return runAnalysis({request, model, data, data, {}}, nullptr, memory, job);
}

/// Each layer of an analysis in float, and how the gains of that become known.
struct FloatTrials {
  FloatTrials(const SnapshotPtr& base, AnalysisMemory& memory, JobContext& job) {
    const TypeChoices choices(base->model.engine, base->request.config, base->quantized);
    for (std::size_t i = 0; i < choices.layerCount(); ++i) {
      const bool able = choices.refusal(i, QuantType::Float32).empty();
      if (!able || choices.typeOf(i).value_or(QuantType::Float32) == QuantType::Float32) continue;
      names.push_back(choices.name(i));
      configs.push_back(choices.setType({i}, QuantType::Float32).apply(base->request.config));
    }
    measureConfigGains(*base, configs, memory, job,
                       [this](const ConfigGains& gains) { published.push_back(gains); });
  }

  std::vector<std::string> names;
  std::vector<Configuration> configs;
  std::vector<ConfigGains> published;
};

}  // namespace

/// What other configurations gain: estimated at once, then measured.
class ConfigGainsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gradientsSayItFirst();
  void aLoneLayerCountsTwice();
  void withoutGradientsTheFirstSampleDoes();
  void nobodyWatchesNothingIsEstimated();
  void onlyAContradictionHasNoGain();
  void theStartIsObservedForItself_data();
  void theStartIsObservedForItself();
};

void ConfigGainsTest::gradientsSayItFirst() {
  SampleNetwork network("digits_mobilenet", 2, 12);
  AnalysisMemory memory(kBudget);
  const SnapshotPtr base = gainsBase(network.model, network.data, memory, network.job);
  const FloatTrials trials(base, memory, network.job);
  QVERIFY(trials.configs.size() > 10);
  // All together, then all measured.
  QCOMPARE(trials.published.size(), std::size_t{2});
  std::vector<double> errors;
  for (std::size_t i = 0; i < trials.configs.size(); ++i) {
    const ConfigGain& estimated = trials.published.front()[i].value();
    const ConfigGain& measured = trials.published.back()[i].value();
    QVERIFY(!estimated.measured && measured.measured && estimated.bytes == measured.bytes);
    errors.push_back(std::abs(estimated.gainDb.value() - measured.gainDb.value()));
  }
  const double error = median(errors);
  QVERIFY2(error < 0.5, QByteArray::number(error));
}

// By hand: behind the only quantized layer all is linear and in float, so that its noise n is all
// the noise N of the output, and 10·lg((N + n) / N) is 3.01 dB. With one output, whose square no
// sign of a probe changes, and all samples that is exact.
void ConfigGainsTest::aLoneLayerCountsTwice() {
  TextNetwork network(R"(
    input x:float[1,32]
    w1:float[32,24]
    w2:float[24,1]
    h = MatMul(x, w1) @first
    y = MatMul(h, w2) @second
    output y
  )",
                      4);
  const Configuration config =
      parseConfiguration(R"({"quantscope": 1, "nodes": {"second": "fp32"}})", "config");
  const FloatTrials trials(
      gainsBase(network.model, network.data, network.memory, network.job, config), network.memory,
      network.job);
  QCOMPARE(trials.names, std::vector<std::string>{"first"});
  const ConfigGain& estimated = trials.published.front()[0].value();
  QVERIFY(!estimated.measured && estimated.gainDb);
  QVERIFY2(std::abs(*estimated.gainDb - 10 * std::log10(2.0)) < 1e-3,
           QByteArray::number(*estimated.gainDb));
}

void ConfigGainsTest::withoutGradientsTheFirstSampleDoes() {
  TextNetwork network(kPartlyWithoutGradient, 8);
  const FloatTrials trials(gainsBase(network.model, network.data, network.memory, network.job),
                           network.memory, network.job);
  const auto place =
      static_cast<std::size_t>(std::ranges::find(trials.names, "first") - trials.names.begin());
  QVERIFY(place < trials.names.size());
  QVERIFY(!trials.published[0][place]->gainDb);
  const auto known = std::ranges::find_if(
      trials.published, [&](const ConfigGains& gains) { return gains[place]->gainDb.has_value(); });
  QVERIFY(known != trials.published.end() && !(*known)[place]->measured);
  // Only the last step is measured, and says something else.
  QVERIFY(trials.published.back()[place]->measured);
  QVERIFY(*(*known)[place]->gainDb != *trials.published.back()[place]->gainDb);
}

void ConfigGainsTest::nobodyWatchesNothingIsEstimated() {
  SampleNetwork network("digits_mobilenet", 2, 4);
  AnalysisMemory memory(kBudget);
  const SnapshotPtr base = gainsBase(network.model, network.data, memory, network.job);
  const FloatTrials trials(base, memory, network.job);
  bool gradients = false;
  JobContext job(network.workers, [&](const Progress& progress) {
    gradients = gradients || progress.stage == "Gradients";
  });
  const ConfigGains gains = measureConfigGains(*base, trials.configs, memory, job, {});
  QVERIFY(!gradients);
  QVERIFY(gains == trials.published.back());
}

void ConfigGainsTest::onlyAContradictionHasNoGain() {
  SampleNetwork network("digits_mobilenet", 2, 2);
  AnalysisMemory memory(kBudget);
  const SnapshotPtr base = gainsBase(network.model, network.data, memory, network.job);
  const auto gainOf = [&](const char* keys) {
    const Configuration config =
        parseConfiguration("{\"quantscope\": 1, " + std::string(keys) + "}", "config");
    return measureConfigGains(*base, {config}, memory, network.job, {}).front();
  };
  QVERIFY(!gainOf(R"("nodes": {"no such node": "fp32"})"));
  QVERIFY(!gainOf(R"("default": {"activation": {"observer": "moving-average:0.3"}})"));
  QVERIFY(gainOf(R"("default": {"activation": {"observer": "mse"}})"));
  // What else goes wrong is told.
  VERIFY_ERROR(gainOf(R"("backend": "/gone/own.json")"), "/gone/own.json");
  VERIFY_ERROR(gainOf(R"("calibration_samples": 100)"), "insufficient data");
}

void ConfigGainsTest::theStartIsObservedForItself_data() {
  QTest::addColumn<QString>("keys");
  QTest::newRow("minmax") << R"("default": {"activation": {"observer": "minmax"}})";
  QTest::newRow("a moving average")
      << R"("default": {"activation": {"observer": "moving-average:0.3"}})";
  QTest::newRow("histograms of channels")
      << R"("op_types": {"Conv": {"activation": {"observer": "mse", "granularity": "per-channel"}}})";
}

// The figures of an analysis of the start by itself.
void ConfigGainsTest::theStartIsObservedForItself() {
  QFETCH(QString, keys);
  SampleNetwork network("digits_mobilenet", 2, 4);
  AnalysisMemory memory(kBudget);
  const Configuration start = parseConfiguration(
      (R"({"quantscope": 1, "backend": "generic", )" + keys + "}").toStdString(), "config");
  Document document(start);
  document.apply(editBetween(start, Configuration(), "take the default"));
  const SnapshotPtr shown = gainsBase(network.model, network.data, memory, network.job);
  const WorkDone work = workDone(*shown, document, memory, network.job);
  const SnapshotPtr before = gainsBase(network.model, network.data, memory, network.job, start);
  QVERIFY(work.startDb.has_value());
  QVERIFY(std::abs(*work.startDb - *worstOutputSqnr(before->result->outputs)) < 1e-9);
  QCOMPARE(work.startBytes, static_cast<double>(before->result->summary.quantizedBytes));
}

QUANTSCOPE_TEST(ConfigGainsTest)
#include "test_config_gains.moc"
