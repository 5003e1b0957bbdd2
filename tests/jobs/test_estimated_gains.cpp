#include <QtTest>
#include <cmath>

#include "analysis/analyze.h"
#include "analysis/sensitivity/gain_estimate.h"
#include "analysis/sensitivity/sweep.h"
#include "calibration/calibrate.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/analysis/gain_margin.h"
#include "jobs/analysis/simulate_gains.h"
#include "jobs/quantize_model.h"
#include "jobs/sample_network.h"
#include "onnx/import.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// What gradients say of suggestions, and what is left to be measured.
class EstimatedGainsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLinearNetwork_data();
  void aLinearNetwork();
  void whatHasNoGradientIsNotEstimated();
  void luck_data();
  void luck();
  void margin_data();
  void margin();
  void missesWidenTheMargin();
  void someSamplesSettle();
  void smallGainsRemainEstimates();
  void sameForAnyThreads();
  void sameWithLittleMemory();
  void littleWorkIsMeasured();
};

namespace {

constexpr const char* kCoarse =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";

/// A small graph, calibrated and quantized.
struct SmallNetwork {
  SmallNetwork(const char* text, const char* config, int threads)
      : workers(threads),
        job(workers),
        graph(graphFromText(text)),
        engine(graph, workers),
        samples(openSamples("random:64", *graph, {})),
        base(quantized(config)) {}

  QuantizedModel quantized(const char* config) {
    const Configuration parsed = parseConfiguration(config, "config");
    if (observations.samples() == 0) {
      observations = calibrate(engine, samples, observationSettings(parsed, 1), job);
    }
    return quantizeModel(engine, parsed, observations);
  }

  std::optional<GainEstimate> estimate(const QuantizationChanges& change) {
    return estimateGains(engine, base, graph->outputs()[0], std::span(&change, 1), samples, memory,
                         job)[0];
  }

  double measure(const QuantizationChanges& change) {
    Sweep sweep(engine, base, {graph->outputs()[0]}, samples, memory, job);
    const std::vector<QuantizationChanges> both{{}, change};
    const auto results = sweep.run(both, "Both");
    return *results[1][0].error.sqnrDb - *results[0][0].error.sqnrDb;
  }

  Workers workers;
  JobContext job;
  std::shared_ptr<const Graph> graph;
  Engine engine;
  SampleSet samples;
  AnalysisMemory memory{kBudget};
  Observations observations;
  QuantizedModel base;
};

constexpr const char* kTwoProducts = R"(
  input x:float[1,32]
  w1:float[32,24]
  w2:float[24,40]
  h = MatMul(x, w1) @first
  y = MatMul(h, w2) @second
  output y
)";

// Behind the first product all is in float, so that its errors arrive as they are.
std::string firstAlone(const std::string& precision) {
  return R"({"quantscope": 1, "nodes": {"second": "fp32", "first": )" + precision + "}}";
}

OutputResult outputWith(double sqnrDb, std::vector<float> samples) {
  OutputResult result;
  result.error.count = 1;
  result.error.sqnrDb = sqnrDb;
  result.sampleSqnrDb = std::move(samples);
  return result;
}

/// A bundled network with its findings.
struct Advised : SampleNetwork {
  Advised(int threads, std::size_t samples) : SampleNetwork("digits_mobilenet", threads, samples) {
    config = parseConfiguration(kCoarse, "config");
    calibrated = calibrateAndQuantize(model, config, *data, 1, job);
    result = analyze(*model.engine, config, calibrated.model, calibrated.observations, *data, {},
                     memory, job);
    report = findFaults(model, config, calibrated.model, calibrated.observations, result,
                        DetectorMode::Quantscope);
  }

  /// By finding.
  std::map<std::string, std::pair<double, bool>> gains(const GainSettings& settings) {
    DetectorReport simulated = report;
    simulateGains(model, config, calibrated.model, calibrated.observations, result, *data, memory,
                  job, simulated, {}, settings);
    std::map<std::string, std::pair<double, bool>> gains;
    for (const auto* findings : {&simulated.findings, &simulated.unproven}) {
      for (const Finding& finding : *findings) {
        if (!finding.suggestion || !finding.suggestion->gainDb) continue;
        gains[finding.id] = {*finding.suggestion->gainDb, finding.suggestion->gainEstimated};
      }
    }
    return gains;
  }

  Configuration config;
  AnalysisMemory memory{kBudget};
  CalibratedModel calibrated;
  AnalysisResult result;
  DetectorReport report;
};

// However small the network.
GainSettings always(double leastGainDb) {
  GainSettings settings;
  settings.leastWork = 0;
  settings.leastGainDb = leastGainDb;
  return settings;
}

}  // namespace

void EstimatedGainsTest::aLinearNetwork_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  const QByteArray coarse = R"({"weight": {"granularity": "per-tensor"}})";
  const QByteArray fine = R"({"weight": {"granularity": "per-channel:1"}})";
  const QByteArray narrow = R"({"weight": {"type": "int4", "granularity": "per-channel:1"}})";
  QTest::newRow("finer weights") << coarse << fine;
  QTest::newRow("coarser weights") << fine << coarse;
  QTest::newRow("narrower weights") << fine << narrow;
}

// The network behind the change is linear, so that only the probes are left to chance.
void EstimatedGainsTest::aLinearNetwork() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  const std::string changed = firstAlone(to.toStdString());
  const auto estimateWith = [&](int threads) {
    SmallNetwork network(kTwoProducts, firstAlone(from.toStdString()).c_str(), threads);
    const QuantizationChanges change =
        changesBetween(network.base.applied, network.quantized(changed.c_str()).applied);
    return std::pair(network.estimate(change), network.measure(change));
  };
  const auto [estimate, measured] = estimateWith(1);
  QVERIFY(estimate.has_value());
  const QString figures = QStringLiteral("%1 ± %2 dB, %3 measured")
                              .arg(estimate->gainDb)
                              .arg(estimate->errorDb)
                              .arg(measured);
  QVERIFY2(estimate->errorDb < 1, qPrintable(figures));
  QVERIFY2(std::abs(estimate->gainDb - measured) <= 3 * estimate->errorDb, qPrintable(figures));
  const auto again = estimateWith(3).first;
  QVERIFY(again->gainDb == estimate->gainDb && again->errorDb == estimate->errorDb &&
          again->moved == estimate->moved);
}

void EstimatedGainsTest::whatHasNoGradientIsNotEstimated() {
  const char* const text = R"(
    input x:float[1,32]
    w1:float[32,24]
    w2:float[24,40]
    h = MatMul(x, w1) @first
    l = LpNormalization(h) @norm
    y = MatMul(l, w2) @second
    output y
  )";
  SmallNetwork network(text, kCoarse, 1);
  const QuantizedModel changed =
      network.quantized(R"({"quantscope": 1, "default": {"weight": {"type": "int4"}}})");
  const QuantizationChanges changes = changesBetween(network.base.applied, changed.applied);
  for (const auto& [node, applied] : changes) {
    const std::string& name = (*network.graph)[node].name;
    QVERIFY2(
        network.estimate(QuantizationChanges{{node, applied}}).has_value() == (name == "second"),
        name.c_str());
  }
  QVERIFY(!network.estimate(changes));
  QVERIFY(!network.estimate({}));
}

void EstimatedGainsTest::luck_data() {
  QTest::addColumn<QList<float>>("before");
  QTest::addColumn<QList<float>>("after");
  QTest::addColumn<double>("expected");  // negative: none
  const float inf = std::numeric_limits<float>::infinity();
  // √(2/1 · (½² + ½²)) = 1
  QTest::newRow("two alike") << QList<float>{20, 20} << QList<float>{21, 19} << 1.0;
  QTest::newRow("the same gain") << QList<float>{20, 10} << QList<float>{22, 12} << 0.0;
  // Weights 1/11 and 10/11, mean −9/11: √2 · √((20/121)² + (20/121)²) = 40/121
  QTest::newRow("most error in one") << QList<float>{20, 10} << QList<float>{21, 9} << 40.0 / 121;
  QTest::newRow("an exact sample") << QList<float>{inf, 20, 20} << QList<float>{inf, 21, 19} << 1.0;
  QTest::newRow("one sample") << QList<float>{20} << QList<float>{21} << -1.0;
}

void EstimatedGainsTest::luck() {
  QFETCH(QList<float>, before);
  QFETCH(QList<float>, after);
  QFETCH(double, expected);
  const std::optional<double> luck = luckOf(outputWith(20, {before.begin(), before.end()}),
                                            outputWith(20, {after.begin(), after.end()}));
  QCOMPARE(luck.has_value(), expected >= 0);
  if (luck) QVERIFY2(std::abs(*luck - expected) < 1e-6, qPrintable(QString::number(*luck)));
}

void EstimatedGainsTest::margin_data() {
  QTest::addColumn<double>("gain");
  QTest::addColumn<double>("error");
  QTest::addColumn<double>("moved");
  QTest::addColumn<bool>("settled");
  QTest::newRow("nothing") << 0.0 << 0.0 << 0.0 << true;
  QTest::newRow("below by more than luck") << 0.07 << 0.0 << 0.1 << true;
  QTest::newRow("luck may do it") << 0.09 << 0.0 << 0.1 << false;
  QTest::newRow("chance of the probes may do it") << 0.0 << 0.06 << 0.1 << false;
  QTest::newRow("a clear loss") << -0.3 << 0.1 << 0.1 << true;
  QTest::newRow("a large change") << -0.3 << 0.1 << 0.3 << false;
}

// With luck of 0.01 dB in the one that was measured and no larger miss: 2 · 0.01 below 0.1 dB.
void EstimatedGainsTest::margin() {
  QFETCH(double, gain);
  QFETCH(double, error);
  QFETCH(double, moved);
  QFETCH(bool, settled);
  const GainEstimate estimate{gain, error, moved};
  GainMargin margin;
  QVERIFY(!margin.settles(estimate, 0.1));
  margin.add(GainEstimate{}, outputWith(20, {20, 20}), outputWith(20.01, {20.02F, 20}));
  QCOMPARE(margin.settles(estimate, 0.1), settled);
  QVERIFY(!margin.settles(std::nullopt, 0.1));
}

void EstimatedGainsTest::missesWidenTheMargin() {
  const GainEstimate estimate{0.01, 0, 0.1};
  GainMargin margin;
  margin.add(GainEstimate{}, outputWith(20, {20, 20}), outputWith(20.01, {20.02F, 20}));
  QVERIFY(margin.settles(estimate, 0.1));
  margin.add(GainEstimate{}, outputWith(20, {20, 20}), outputWith(20.1, {20.02F, 20}));
  QVERIFY(!margin.settles(estimate, 0.1));
}

// Luck of 0.01 dB at least, from what was measured before.
void EstimatedGainsTest::someSamplesSettle() {
  GainMargin margin;
  margin.add(std::nullopt, outputWith(20, {20, 20}), outputWith(20.01, {20.02F, 20}));
  const OutputResult before = outputWith(20, {20, 20});
  QVERIFY(margin.settles(before, outputWith(20.07, {20.07F, 20.07F}), 0.1));
  QVERIFY(!margin.settles(before, outputWith(20.09, {20.09F, 20.09F}), 0.1));
  QVERIFY(margin.settles(before, outputWith(20.09, {20.09F, 20.09F}), 0.2));
  QVERIFY(!margin.settles(before, outputWith(20.07, {20.17F, 19.97F}), 0.1));
  QVERIFY(!margin.settles(outputWith(20, {20}), outputWith(19, {19}), 0.1));
}

// Nothing that gains as much as may not be missed remains an estimate; the rest is measured as
// ever.
void EstimatedGainsTest::smallGainsRemainEstimates() {
  // Luck moves gains of this small network by more than a decibel.
  constexpr double kLeastGainDb = 3;
  Advised network(2, 48);
  const auto measured = network.gains({});
  const auto some = network.gains(always(kLeastGainDb));
  QCOMPARE(some.size(), measured.size());
  int estimated = 0;
  for (const auto& [id, gain] : some) {
    const double known = measured.at(id).first;
    if (!gain.second) {
      QVERIFY2(gain.first == known, id.c_str());
      continue;
    }
    ++estimated;
    QVERIFY2(known < kLeastGainDb, id.c_str());
  }
  QVERIFY2(estimated > 0 && estimated < static_cast<int>(some.size()),
           qPrintable(QString::number(estimated)));
}

void EstimatedGainsTest::sameForAnyThreads() {
  const auto alone = Advised(1, 17).gains(always(1));
  QVERIFY(Advised(3, 17).gains(always(1)) == alone);
}

// So little that not all constants of the suggestions fit in at once.
void EstimatedGainsTest::sameWithLittleMemory() {
  constexpr std::size_t kLittle = std::size_t{256} << 10;
  Advised network(2, 17);
  const auto expected = network.gains(always(1));
  network.memory.setBudget(kLittle);
  QVERIFY(network.gains(always(1)) == expected);
  ActivationCache& activations = network.memory.activations;
  QVERIFY(activations.bytes() <= activations.budget());
  QVERIFY(activations.budget() + activations.plans().budget() + network.memory.runningBytes() <
          kLittle);
}

void EstimatedGainsTest::littleWorkIsMeasured() {
  Advised network(2, 16);
  GainSettings few = always(1);
  few.leastFeeds = 17;
  for (const GainSettings& settings : {GainSettings(), few}) {
    for (const auto& [id, gain] : network.gains(settings)) QVERIFY2(!gain.second, id.c_str());
  }
}

QUANTSCOPE_TEST(EstimatedGainsTest)
#include "test_estimated_gains.moc"
