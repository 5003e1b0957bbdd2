#include <QtTest>
#include <cmath>
#include <random>

#include "repair/biases/bias_overflow.h"
#include "repair/ranges/accumulator_pairs.h"
#include "repair/repair_case.h"
#include "repair/rounding/data_free_rounding.h"
#include "repair/rounding/rounding.h"
#include "support/test_main.h"

using namespace quantscope;
using test::RepairCase;

/// Repairs that need no samples.
class DataFreeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void errorsCancel();
  void rangeOfCodesIsKept();
  void roundsLayers();
  void scalesAlongInputsAreRefused_data();
  void scalesAlongInputsAreRefused();
  void biasFitsAtTheLimit();
  void overflowingBiasFits();
  void pairsAgainstAllInputs();
};

// Kernels first, then the channel: each sum of errors at most half a code, no error beyond a code.
void DataFreeTest::errorsCancel() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-6, 6);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> weights(36);
    for (double& weight : weights) weight = uniform(generator);
    const std::vector<double> codes = cancelErrors(weights, 9, -8, 7);
    double channel = 0;
    for (std::size_t kernel = 0; kernel < 4; ++kernel) {
      double sum = 0;
      for (std::size_t i = 9 * kernel; i < 9 * kernel + 9; ++i) {
        const double error = codes[i] - weights[i];
        QVERIFY(codes[i] == std::nearbyint(codes[i]) && std::abs(error) <= 1);
        sum += error;
      }
      channel += sum;
      // The channel's own turn may cost each kernel a code.
      QVERIFY(std::abs(sum) <= 1.5);
    }
    QVERIFY2(std::abs(channel) <= 0.5, qPrintable(QString::number(channel)));
  }
}

void DataFreeTest::rangeOfCodesIsKept() {
  const std::vector<double> weights(8, 7.4);
  const std::vector<double> codes = cancelErrors(weights, 1, -8, 7);
  QVERIFY(codes == std::vector<double>(8, 7));
}

void DataFreeTest::roundsLayers() {
  constexpr const char* kNetwork = R"(
    input x:float[1,3,8,8]
    w:float[6,3,3,3]
    y = Conv(x, w) pads=[1,1,1,1] @conv
    output y
  )";
  RepairCase network(kNetwork, R"({"quantscope": 1, "backend": "generic",
                                   "default": {"weight": {"type": "int4"}}})");
  const RepairState folded = network.folded();
  RepairTools tools = network.tools();
  const LinearLayers layers = network.layers();
  const RepairProposal proposal = proposeDataFreeRounding(folded, layers, tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{1});
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  // The sum over a channel, which a constant input meets, is right to half a code.
  const Tensor before = weightOf(*folded.engine, layers.layers[0]);
  const Tensor rounded = proposal.overlay.constants[0].tensor;
  const QuantParams& params = weightParamsOf(*after.model, layers.layers[0]);
  for (std::size_t output = 0; output < 6; ++output) {
    double sum = 0;
    for (std::size_t k = 0; k < 27; ++k) {
      const std::size_t element = output * 27 + k;
      sum += double{rounded.values<float>()[element]} - before.values<float>()[element];
    }
    QVERIFY(std::abs(sum) <= 0.5001 * params.grids[output].scale);
  }
}

void DataFreeTest::scalesAlongInputsAreRefused_data() {
  QTest::addColumn<std::string>("granularity");
  QTest::addColumn<bool>("rounds");
  QTest::newRow("of outputs") << std::string("per-channel:0") << true;
  QTest::newRow("of inputs") << std::string("per-channel:1") << false;
  QTest::newRow("of groups") << std::string("per-group:1:2") << false;
}

// Codes of unequal scales do not add up; few columns send `round` the same way.
void DataFreeTest::scalesAlongInputsAreRefused() {
  QFETCH(const std::string, granularity);
  QFETCH(const bool, rounds);
  RepairCase network(R"(
    input x:float[1,4,2,2]
    w:float[6,4,2,2]
    y = Conv(x, w) @conv
    output y
  )",
                     R"({"quantscope": 1, "backend": "generic", "default": {"weight":
                         {"type": "int4", "granularity": ")" +
                         granularity + "\"}}}",
                     4);
  const RepairState folded = network.folded();
  RepairTools tools = network.tools();
  for (const auto& propose : {proposeDataFreeRounding, proposeRounding}) {
    const RepairProposal proposal = propose(folded, network.layers(), tools, 0);
    QCOMPARE(proposal.nodes > 0, rounds);
    QCOMPARE(proposal.refused.empty(), rounds);
  }
}

// At the limit the scale stays, a step beyond it grows, and then the sum fits in int64 arithmetic.
void DataFreeTest::biasFitsAtTheLimit() {
  constexpr double kInput = 0.5;
  constexpr double kWeight = 0.25;
  constexpr double kSpan = 255;
  constexpr double kCodes = 1000;
  const double room = 2147483647.0 - kSpan * kCodes;
  const double limit = room * kInput * kWeight;
  QVERIFY(scaleForBias(limit, kInput, kWeight, kSpan, kCodes) == kWeight);
  QVERIFY(scaleForBias(-limit, kInput, kWeight, kSpan, kCodes) == kWeight);
  for (const double bias : {limit + kInput * kWeight, -4 * limit}) {
    const double scale = scaleForBias(bias, kInput, kWeight, kSpan, kCodes);
    QVERIFY(scale > kWeight);
    const auto code = std::llabs(std::llrint(bias / (kInput * scale)));
    QVERIFY(code + static_cast<long long>(kSpan * kCodes) <= 2147483647LL);
  }
}

void DataFreeTest::overflowingBiasFits() {
  constexpr const char* kNetwork = R"(
    input x:float[1,2,4,4]
    w:float[2,2,1,1]{1e-10, 2e-10, 1, 0.5}
    b:float[2]{5, 0.25}
    y = Conv(x, w, b) @conv
    output y
  )";
  RepairCase network(kNetwork, R"({"quantscope": 1, "backend": "generic", "bias": "int32",
      "default": {"weight": {"granularity": "per-channel"}}})");
  QCOMPARE(biasOverflows(network.state.model->layers[0]), std::size_t{1});
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeBiasOverflow(network.state, network.layers(), tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{1});
  const RepairState after =
      withOverlay(network.state, proposal.overlay, OverlayEffect::Fitted, tools);
  QCOMPARE(biasOverflows(after.model->layers[0]), std::size_t{0});
  const auto reference = network.outputs(network.state, false);
  QVERIFY(test::sqnrOf(reference, network.outputs(after, true)) >
          test::sqnrOf(reference, network.outputs(network.state, true)) + 20);
  // The other channel keeps its scale.
  QVERIFY(proposal.overlay.grids[0].params.grids[1].scale ==
          network.state.model->layers[0].weight->grids[1].scale);
}

void DataFreeTest::pairsAgainstAllInputs() {
  for (int first = -128; first <= 127; ++first) {
    for (int second = -128; second <= 127; ++second) {
      // The extremes of w₀·x₀ + w₁·x₁ lie where each x is 0 or 255.
      const int most = 255 * (std::max(first, 0) + std::max(second, 0));
      const int least = 255 * (std::min(first, 0) + std::min(second, 0));
      const bool safe = most <= 32767 && least >= -32768;
      const std::array<std::int8_t, 2> pair{static_cast<std::int8_t>(first),
                                            static_cast<std::int8_t>(second)};
      QCOMPARE(unsafePairs(pair), std::size_t{safe ? 0U : 1U});
    }
  }
}

QUANTSCOPE_TEST(DataFreeTest)
#include "test_data_free.moc"
