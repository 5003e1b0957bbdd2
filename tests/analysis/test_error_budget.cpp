#include <QtTest>
#include <cmath>

#include "analysis/analyze.h"
#include "analysis/errors/error_budget.h"
#include "analysis/sensitivity/precision_ladder.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "support/configuration_keys.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kNormalizedNetwork = R"(
  input x:float[1,3,6,6]
  w1:float[4,3,3,3]
  b1:float[4]
  scale:float[4]{1, 0.5, 2, 1.5}
  shift:float[4]{0.1, -0.2, 0.3, 0}
  mean:float[4]{0, 0.1, -0.1, 0.2}
  variance:float[4]{1, 0.5, 2, 1}
  w2:float[2,4,1,1]
  k:float[1,2,1,1]{0.3, -0.7}
  a = Conv(x, w1, b1) @c1
  n = BatchNormalization(a, scale, shift, mean, variance) @n1
  r = Relu(n) @r1
  b = Conv(r, w2) @c2
  s = Add(b, k) @add
  output s
)";

struct Measured {
  AnalysisResult result;
  std::vector<std::optional<ErrorBudget>> budgets;
  std::vector<LadderStep> ladder;

  const ErrorBudget& of(const std::string& name) const {
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      if (result.layers[i].name == name) return budgets[i].value();
    }
    throw std::runtime_error("no layer " + name);
  }
  double nmse(const std::string& name) const {
    for (const LayerResult& layer : result.layers) {
      if (layer.name == name) return layer.local.value().total.nmse.value();
    }
    throw std::runtime_error("no layer " + name);
  }
};

Measured measured(const std::string& keys, int threads = 2) {
  const Configuration config = configurationWith(keys);
  const Workers workers(threads);
  const auto graph = graphFromText(kNormalizedNetwork);
  const Engine engine(graph, workers);
  SampleSet set(
      std::make_unique<MemorySource>(graph->inputs()[0], randomSamples({1, 3, 6, 6}, 5, 11)));
  JobContext job(workers);
  const Observations observations = calibrate(engine, set, {}, job);
  const QuantizedModel model = quantizeModel(engine, config, observations);
  AnalysisMemory memory(std::size_t{64} << 20);
  Measured all;
  all.result = analyze(engine, config, model, observations, set, {}, memory, job);
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < model.layers.size(); ++i) layers.push_back(i);
  all.budgets = measureErrorBudgets(engine, model, set, layers, memory, job);
  all.ladder = measureLadder(engine, model, all.result, set, memory, job);
  return all;
}

double sumOf(const ErrorBudget& budget) {
  return budget.input + budget.weight + budget.bias + budget.output + budget.clipping +
         budget.together;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 + 1e-5 * std::max(std::abs(a), std::abs(b));
}

constexpr const char* kWeightsOnly =
    R"("default": {"weight": {"type": "int4"}, "activation": {"type": "fp32"},
                   "output": {"type": "fp32"}})";

}  // namespace

class ErrorBudgetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partsAndTogetherMakeTheLocalError_data();
  void partsAndTogetherMakeTheLocalError();
  void weightsAlone();
  void outputAlone();
  void clippingAlone();
  void anIntegerBias();
  void constantsOnEdgesAreInputs();
  void anyThreadCountGivesTheSameBits();
  void ladderOfOneHalf();
};

void ErrorBudgetTest::partsAndTogetherMakeTheLocalError_data() {
  QTest::addColumn<QByteArray>("keys");
  QTest::newRow("default") << QByteArray();
  QTest::newRow("qnnpack") << QByteArray(R"("backend": "qnnpack")");
  QTest::newRow("dynamic") << QByteArray(R"("default": {"activation": {"mode": "dynamic"}})");
  QTest::newRow("fp8") << QByteArray(
      R"("default": {"weight": {"type": "fp8e4m3"}, "activation": {"type": "fp8e4m3"}})");
  QTest::newRow("per channel") << QByteArray(
      R"("backend": "generic", "default": {"activation": {"granularity": "per-channel:1"}})");
  QTest::newRow("equalized") << QByteArray(
      R"("backend": "generic", "repairs": {"equalize": {"c2": [1, 2, 0.5, 4]}})");
}

void ErrorBudgetTest::partsAndTogetherMakeTheLocalError() {
  QFETCH(const QByteArray, keys);
  const Measured all = measured(keys.toStdString());
  for (const char* layer : {"c1", "c2"}) {
    const ErrorBudget& budget = all.of(layer);
    QVERIFY(near(sumOf(budget), all.nmse(layer)));
    QVERIFY(budget.input >= 0 && budget.weight > 0 && budget.output >= 0);
    // Independent roundings add up, roughly.
    QVERIFY(std::abs(budget.together) < 0.8 * all.nmse(layer));
  }
}

void ErrorBudgetTest::weightsAlone() {
  const Measured all = measured(kWeightsOnly);
  for (const char* layer : {"c1", "c2"}) {
    const ErrorBudget& budget = all.of(layer);
    QVERIFY(near(budget.weight, all.nmse(layer)));
    QVERIFY(budget.input == 0 && budget.bias == 0 && budget.output == 0 && budget.clipping == 0);
  }
}

// One rounding to a step s makes an error of s²/12 in the mean.
void ErrorBudgetTest::outputAlone() {
  const Measured all = measured(R"("default": "fp32",
      "nodes": {"c2": {"weight": {"type": "fp32"}, "activation": {"type": "fp32"},
                       "output": {"type": "uint8", "symmetric": false}}})");
  const ErrorBudget& budget = all.of("c2");
  QVERIFY(near(budget.output, all.nmse("c2")));
  QVERIFY(budget.weight == 0 && budget.input == 0 && budget.clipping == 0);
  for (const LayerResult& layer : all.result.layers) {
    if (layer.name != "c2") continue;
    const double power = layer.local->total.mse.value() / layer.local->total.nmse.value();
    const double ideal = *layer.outputScale * *layer.outputScale / 12 / power;
    QVERIFY(budget.output > 0.5 * ideal && budget.output < 2 * ideal);
  }
}

void ErrorBudgetTest::clippingAlone() {
  const Measured narrow = measured(R"("nodes": {"c2": {"output": {"range": [-0.2, 0.2]}}})");
  const Measured wide = measured(R"("nodes": {"c2": {"output": {"range": [-90, 90]}}})");
  QVERIFY(narrow.of("c2").clipping > 0.1);
  QVERIFY(narrow.of("c2").clipping > 10 * narrow.of("c2").output);
  QVERIFY(wide.of("c2").clipping == 0);
  QVERIFY(wide.of("c2").output > 10 * wide.of("c2").weight);
}

void ErrorBudgetTest::anIntegerBias() {
  QVERIFY(measured(R"("bias": "float")").of("c1").bias == 0);
  const double coarse = measured(R"("bias": "int32", "default": {"weight": {"type": "int8",
      "granularity": "per-tensor"}})")
                            .of("c1")
                            .bias;
  QVERIFY(coarse > 0 && coarse < 1e-6);
}

void ErrorBudgetTest::constantsOnEdgesAreInputs() {
  const Measured all = measured(R"("backend": "generic")");
  QVERIFY(all.of("add").input > 0);
  QVERIFY(all.of("add").weight == 0);
}

void ErrorBudgetTest::anyThreadCountGivesTheSameBits() {
  const Measured one = measured("", 1);
  for (const int threads : {2, 7}) QVERIFY(measured("", threads).budgets == one.budgets);
}

void ErrorBudgetTest::ladderOfOneHalf() {
  const Measured weights = measured(kWeightsOnly);
  QCOMPARE(weights.ladder.size(), std::size_t{1});
  QVERIFY(weights.ladder[0].weightsOnlyDb == weights.result.outputs[0].error.sqnrDb);
  // Folded and not folded, float runs differ by their roundings.
  QVERIFY(*weights.ladder[0].activationsOnlyDb > 110);
  const Measured both = measured("");
  QVERIFY(*both.ladder[0].weightsOnlyDb > *both.ladder[0].bothDb);
  QVERIFY(*both.ladder[0].activationsOnlyDb > *both.ladder[0].bothDb);
}

QUANTSCOPE_TEST(ErrorBudgetTest)
#include "test_error_budget.moc"
