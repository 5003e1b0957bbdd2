#include <QtTest>
#include <cmath>
#include <random>

#include "calibration/sample_subset.h"
#include "repair/biases/analytic_bias.h"
#include "repair/repair_case.h"
#include "repair/scales/channel_splitting.h"
#include "repair/scales/dead_channels.h"
#include "repair/scales/equalization.h"
#include "repair/scales/equivalence_gate.h"
#include "repair/scales/smoothing.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kDefault = R"({"quantscope": 1})";

// Channel 1 has no weights, and is 400 everywhere.
constexpr const char* kDead = R"(
  input x:float[1,3,4,4]
  w:float[4,3,1,1]{1, 0.5, -0.5,  0, 0, 0,  0.25, 0.1, 0.2,  1, 3, -2}
  b:float[4]{1, 400, 0.5, 2}
  a = Conv(x, w, b) @first
  c = Relu(a)
  v:float[2,4,1,1]{1, 9, 2, -0.5,  -0.5, -7, 4, 0.25}
  y = Conv(c, v) @second
  output y
)";

constexpr const char* kDeadPadded = R"(
  input x:float[1,3,4,4]
  w:float[2,3,1,1]{1, 0.5, -0.5,  0, 0, 0}
  b:float[2]{1, 40}
  a = Conv(x, w, b) @first
  v:float[2,2,3,3]
  y = Conv(a, v) pads=[1,1,1,1] @second
  output y
)";

// Channels between 100 and 110 and around −30, which a rectifier passes and cuts off.
constexpr const char* kShifted = R"(
  input x:float[1,3,4,4]
  w:float[4,3,1,1]{0.5, 0.5, -0.5,  0.2, 0.1, 0.4,  0.25, 0.1, 0.2,  1, 0.3, -0.2}
  b:float[4]{100, 0.3, 105, -0.5}
  a = Conv(x, w, b) @first
  c = Relu(a)
  v:float[2,4,1,1]{1, 0.25, 2, -0.5,  -0.5, 0.125, 4, 0.25}
  y = Conv(c, v) @second
  output y
)";

// The same with the biases in a normalization; it takes one away from its input, too.
constexpr const char* kShiftedByNorm = R"(
  input x:float[1,3,4,4]
  w:float[4,3,1,1]{0.5, 0.5, -0.5,  0.2, 0.1, 0.4,  0.25, 0.1, 0.2,  1, 0.3, -0.2}
  scale:float[4]{2, 1, 3, 1}
  shift:float[4]{100, 0.3, 105, -0.5}
  mean:float[4]{0.1, 50, -0.2, 0}
  var:float[4]{1, 1, 2, 1}
  b:float[4]{0, 50, 0, 0}
  n = Conv(x, w, b) @first
  a = BatchNormalization(n, scale, shift, mean, var) @norm
  c = Relu(a)
  v:float[2,4,1,1]{1, 0.25, 2, -0.5,  -0.5, 0.125, 4, 0.25}
  y = Conv(c, v) @second
  output y
)";

constexpr const char* kJoined = R"(
  input x:float[1,3,4,4]
  w:float[2,3,1,1]{1, 0.5, -0.5,  40, 2, 1}
  a = Conv(x, w) @left
  v:float[3,3,1,1]{0.1, 0.5, -0.5,  4, 20, 1,  0.5, 0.25, 0.125}
  b = Conv(x, v) @right
  c = Concat(a, b) axis=1 @join
  d = Relu(c)
  u:float[2,5,1,1]
  y = Conv(d, u) @both
  t:float[2,3,1,1]
  z = Conv(b, t) @alone
  output y
  output z
)";

const Range& rangeOf(const RepairState& state, const char* node, std::size_t channel) {
  const Graph& graph = state.engine->graph();
  return state.observations->find(graph[graph.findNode(node)].outputs[0])->channels[channel];
}

double agreement(RepairCase& repaired, const RepairState& before, const RepairState& after) {
  return test::sqnrOf(repaired.outputs(before, false), repaired.outputs(after, false));
}

// What a step makes of a network, as the recipe applies it.
struct Stepped {
  using Propose = RepairProposal(const RepairState&, const LinearLayers&, RepairTools&,
                                 std::size_t);

  Stepped(RepairCase& network, Propose& propose, std::size_t way = 0) : before(network.folded()) {
    RepairTools tools = network.tools();
    proposal = propose(before, findLinearLayers(*before.engine, *before.model), tools, way);
    after = withOverlay(before, proposal.overlay, proposal.effect, tools);
    if (!proposal.overlay.empty()) {
      difference = whyNotEquivalent(*before.engine, *after.engine, proposal.overlay, tools);
    }
  }

  RepairState before;
  RepairProposal proposal;
  RepairState after;
  std::string difference;
};

RepairProposal proposeDoubling(const RepairState& state, const LinearLayers& layers, RepairTools&,
                               std::size_t) {
  const LinearLayer& layer = layers.layers.front();
  const Tensor before = weightOf(*state.engine, layer);
  Tensor weight(ElementType::Float32, before.shape());
  for (std::size_t i = 0; i < weight.elementCount(); ++i) {
    weight.mutableValues<float>()[i] = before.values<float>()[i] * 1.001F;
  }
  RepairProposal harm;
  harm.effect = OverlayEffect::SameOutputs;
  harm.overlay.constants.push_back({layer.lead, layer.weightSlot, weight, "weight"});
  return harm;
}

// x [1, 64], channel 3 a hundred times as large, times a matrix of which its row may be small.
std::string outlierText(const char* norm, double rowFactor) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::string weights;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      const double weight = normal(random) * (row == 3 ? rowFactor : 1);
      weights += (weights.empty() ? "" : ", ") + std::to_string(weight);
    }
  }
  std::string scale;
  for (int c = 0; c < 64; ++c) scale += (c == 0 ? "" : ", ") + std::string(c == 3 ? "100" : "1");
  return "input x:float[16,64]\ng:float[64]{" + scale + "}\nh:float[64]\n" + norm +
         "\nw:float[64,64]{" + weights + "}\ny = MatMul(n, w) @product\noutput y\n";
}

}  // namespace

/// Steps that move what channels hold from one layer to the next.
class ChannelStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void deadChannelsBecomeBiases();
  void deadChannelsStayBeforePads();
  void highBiasesAreAbsorbed_data();
  void highBiasesAreAbsorbed();
  void concatenationsAreScaledBySlices();
  void halvesAddUp();
  void splittingKeepsOutputs_data();
  void splittingKeepsOutputs();
  void smoothingBehindProducts_data();
  void smoothingBehindProducts();
  void spreadChannelsAreNotSplit();
  void smoothingTakesOutliersIn_data();
  void smoothingTakesOutliersIn();
  void weightOnlyScales();
  void rectifiedMeans_data();
  void rectifiedMeans();
  void analyticBiasNeedsNormalization();
  void analyticBiasWinsWithoutSamples();
  void gateRefusesOtherOutputs();
};

void ChannelStepsTest::deadChannelsBecomeBiases() {
  RepairCase network(kDead, R"({"quantscope": 1, "default":
      {"weight": {"granularity": "per-tensor"}, "output": {"type": "fp32"}}})");
  const Stepped step(network, proposeDeadChannels);
  QCOMPARE(step.proposal.what, std::string("1 channel"));
  QVERIFY2(step.difference.empty(), step.difference.c_str());
  QVERIFY(agreement(network, step.before, step.after) > 110);
  QVERIFY(rangeOf(step.before, "first", 1).high == 400.0F);
  QVERIFY(rangeOf(step.after, "first", 1).high == 0.0F);
  const LinearLayers layers = findLinearLayers(*step.after.engine, *step.after.model);
  // 9·400 and −7·400, which the biases of the second layer have by now.
  QCOMPARE(biasOf(*step.after.engine, layers.layers[1]), (std::vector<double>{3600, -2800}));
  QCOMPARE(weightOf(*step.after.engine, layers.layers[1]).values<float>()[1], 0.0F);
  const auto wanted = network.outputs(step.before, false);
  const double won = test::sqnrOf(wanted, network.outputs(step.after, true)) -
                     test::sqnrOf(wanted, network.outputs(step.before, true));
  QVERIFY2(won > 6, qPrintable(QString::number(won)));
}

void ChannelStepsTest::deadChannelsStayBeforePads() {
  RepairCase network(kDeadPadded, kPerTensor);
  const Stepped step(network, proposeDeadChannels);
  QVERIFY(step.proposal.overlay.empty());
  QVERIFY(test::contains(step.proposal.reason, "no channel has weights of 0"));
}

void ChannelStepsTest::highBiasesAreAbsorbed_data() {
  QTest::addColumn<QByteArray>("graph");
  QTest::addColumn<QByteArray>("sums");
  QTest::addRow("of the layer") << QByteArray(kShifted) << QByteArray("first");
  QTest::addRow("of a normalization") << QByteArray(kShiftedByNorm) << QByteArray("norm");
}

void ChannelStepsTest::highBiasesAreAbsorbed() {
  QFETCH(const QByteArray, graph);
  QFETCH(const QByteArray, sums);
  RepairCase network(graph.toStdString(), kPerTensor);
  const RepairState before = network.folded();
  RepairTools tools = network.tools();
  const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
  const ScaleRegions regions = findScaleRegions(*before.engine, *before.model, layers);
  EqualizationRule rule;
  rule.absorb = true;
  const Overlay overlay = equalize(before, layers, regions, rule);
  const RepairState after = withOverlay(before, overlay, OverlayEffect::SameOutputs, tools);
  const std::string difference = whyNotEquivalent(*before.engine, *after.engine, overlay, tools);
  QVERIFY2(difference.empty(), difference.c_str());
  QVERIFY(agreement(network, before, after) > 100);
  for (const std::size_t channel : {0, 2}) {
    const Range& was = rangeOf(before, sums.constData(), channel);
    const Range& is = rangeOf(after, sums.constData(), channel);
    QVERIFY(was.low > 50);
    QVERIFY2(std::abs(is.low) < 1e-3F * is.high, qPrintable(QString::number(is.low)));
  }
  // A channel that reaches 0 keeps its bias.
  QVERIFY(rangeOf(after, sums.constData(), 3).low < 0);
}

void ChannelStepsTest::concatenationsAreScaledBySlices() {
  RepairCase network(kJoined, kPerTensor);
  const RepairState before = network.folded();
  const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
  const ScaleRegions regions = findScaleRegions(*before.engine, *before.model, layers);
  QCOMPARE(regions.regions.size(), std::size_t{1});
  const ScaleRegion& region = regions.regions[0];
  QCOMPARE(region.channels, std::size_t{5});
  QCOMPARE(region.makers.size(), std::size_t{2});
  QCOMPARE(region.readers.size(), std::size_t{2});
  // Whoever reads the right slice alone reads the same channels.
  for (const ScaleRegion::Reader& reader : region.readers) {
    if (reader.channels.size() != 3) continue;
    QCOMPARE(reader.channels, region.makers[1].channels);
  }
  RepairTools tools = network.tools();
  const RepairState after = withOverlay(before, equalize(before, layers, regions, {}, true),
                                        OverlayEffect::SameOutputs, tools);
  QVERIFY(
      std::ranges::equal(network.outputs(before, false), network.outputs(after, false), identical));
}

// Codes of both halves add up to the code of the weight, on any grid.
void ChannelStepsTest::halvesAddUp() {
  for (const double scale : {1.0, 0.37, 0.004}) {
    for (int i = -400; i <= 400; ++i) {
      // Off the ties, which round to even.
      const double weight = scale * (0.31 * i + 0.013);
      const SplitWeight halves = splitWeight(weight, scale);
      QCOMPARE(std::nearbyint(halves.low / scale) + std::nearbyint(halves.high / scale),
               std::nearbyint(weight / scale));
      QVERIFY(std::abs(halves.low + double{halves.high} - weight) < 1e-6 * std::abs(weight) + 1e-7);
    }
  }
}

void ChannelStepsTest::splittingKeepsOutputs_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<int>("way");
  QTest::addColumn<int>("inserted");
  QTest::newRow("the layer before widens") << QByteArray(kDead) << 0 << 0;
  QTest::newRow("a Gather where two layers make it") << QByteArray(kJoined) << 1 << 2;
}

void ChannelStepsTest::splittingKeepsOutputs() {
  QFETCH(const QByteArray, network);
  QFETCH(const int, way);
  QFETCH(const int, inserted);
  RepairCase repaired(network.constData(), kPerTensor);
  const Stepped step(repaired, proposeSplitting, static_cast<std::size_t>(way));
  QVERIFY2(!step.proposal.overlay.empty(), step.proposal.reason.c_str());
  QVERIFY2(step.difference.empty(), step.difference.c_str());
  QCOMPARE(static_cast<int>(step.proposal.inserted), inserted);
  QVERIFY(agreement(repaired, step.before, step.after) > 110);
  const Graph& graph = step.after.engine->graph();
  QCOMPARE(graph.nodes().size(),
           step.before.engine->graph().nodes().size() + static_cast<std::size_t>(inserted));
  // The quantized model runs, too, and its scales are no larger.
  const LinearLayers before = findLinearLayers(*step.before.engine, *step.before.model);
  const LinearLayers after = findLinearLayers(*step.after.engine, *step.after.model);
  QVERIFY(weightParamsOf(*step.after.model, after.layers.back()).grids[0].scale <
          weightParamsOf(*step.before.model, before.layers.back()).grids[0].scale);
  QVERIFY(std::isfinite(
      test::sqnrOf(repaired.outputs(step.before, false), repaired.outputs(step.after, true))));
}

// A layer that reads a product of two scaled values, and channels of which some are fixed.
void ChannelStepsTest::smoothingBehindProducts_data() {
  QTest::addColumn<QByteArray>("behind");
  const char* const last = "\ny = Conv(c, u:float[2,8,1,1]) @last";
  QTest::newRow("of two") << QByteArray("b = Conv(x, v:float[8,3,1,1]) @second\nc = Mul(a, b)") +
                                 last;
  QTest::newRow("transposed in groups")
      << QByteArray("c = Relu(a)\ny = ConvTranspose(c, u:float[8,2,2,2]) group=2 @last");
  QTest::newRow("with a half")
      << QByteArray(
             "p, q = Split(a, s:int64[2]{4,4}) axis=1\ng = Sigmoid(q)\nc = Concat(p, g) axis=1") +
             last;
}

void ChannelStepsTest::smoothingBehindProducts() {
  QFETCH(const QByteArray, behind);
  const std::string text =
      "input x:float[1,3,4,4]\nw:float[8,3,1,1]{1, 0.5, -0.5,  90, 2, 1,  0.02, 0.1, 0.02,  16, 3, "
      "-8,  1, 0.5, -0.5,  1, 2, 1,  0.2, 0.1, 0.2,  1, 3, -1}\na = Conv(x, w) @first\n" +
      behind.toStdString() + "\noutput y";
  RepairCase network(text, kDefault, 24);
  const Stepped step(network, proposeSmoothing);
  QVERIFY2(!step.proposal.overlay.empty(), step.proposal.reason.c_str());
  QVERIFY2(step.difference.empty(), step.difference.c_str());
  QVERIFY(agreement(network, step.before, step.after) > 100);
}

// Four channels of the layer become one of the value that is read.
void ChannelStepsTest::spreadChannelsAreNotSplit() {
  RepairCase network(R"(
    input x:float[1,3,4,4]
    a = Conv(x, w:float[16,3,1,1]) @first
    d = DepthToSpace(a) blocksize=2
    y = Conv(d, v:float[2,4,1,1]) @last
    output y
  )",
                     kPerTensor);
  const Stepped step(network, proposeSplitting, 0);
  QVERIFY(step.proposal.overlay.empty());
  const Stepped gathered(network, proposeSplitting, 1);
  QVERIFY2(gathered.difference.empty(), gathered.difference.c_str());
}

void ChannelStepsTest::smoothingTakesOutliersIn_data() {
  QTest::addColumn<QByteArray>("norm");
  QTest::addColumn<QByteArray>("config");
  QTest::addColumn<double>("rowFactor");
  QTest::addColumn<double>("least");
  const char* layerNorm = "n = LayerNormalization(x, g, h) @norm";
  const QByteArray ofNorm = R"({"quantscope": 1, "default": {"output": {"type": "fp32"}},
      "nodes": {"norm": "fp32"}})";
  const QByteArray ofPrimitive =
      R"({"quantscope": 1, "default": {"output": {"type": "fp32"}},
      "nodes": {"scale": "fp32", "shift": "fp32"}})";
  const char* primitive = "f = Mul(x, g) @scale\nn = Add(f, h) @shift";
  QTest::newRow("LayerNormalization") << QByteArray(layerNorm) << ofNorm << 1.0 << 15.0;
  QTest::newRow("LayerNormalization, small weights")
      << QByteArray(layerNorm) << ofNorm << 0.1 << 25.0;
  QTest::newRow("Mul and Add") << QByteArray(primitive) << ofPrimitive << 1.0 << 15.0;
  QTest::newRow("Mul and Add, small weights")
      << QByteArray(primitive) << ofPrimitive << 0.1 << 25.0;
}

// Normal inputs, one channel a hundred times as large, W8A8: simulated 17 and 30 dB. Of the product
// alone: the others stay float.
void ChannelStepsTest::smoothingTakesOutliersIn() {
  QFETCH(const QByteArray, norm);
  QFETCH(const double, rowFactor);
  QFETCH(const double, least);
  QFETCH(const QByteArray, config);
  RepairCase network(outlierText(norm.constData(), rowFactor), config.constData());
  const Stepped step(network, proposeSmoothing);
  QVERIFY2(!step.proposal.overlay.empty(), step.proposal.reason.c_str());
  QVERIFY2(step.difference.empty(), step.difference.c_str());
  const auto wanted = network.outputs(step.before, false);
  const double gain = test::sqnrOf(wanted, network.outputs(step.after, true)) -
                      test::sqnrOf(wanted, network.outputs(step.before, true));
  QVERIFY2(gain >= least, qPrintable(QString::number(gain)));
  QVERIFY(agreement(network, step.before, step.after) > 110);
}

void ChannelStepsTest::weightOnlyScales() {
  constexpr const char* kWeights =
      R"({"quantscope": 1, "backend": "generic",
          "default": {"weight": {"type": "int4"}, "activation": {"type": "fp32"}}})";
  RepairCase network(outlierText("n = LayerNormalization(x, g, h) @norm", 1), kWeights);
  const Stepped step(network, proposeWeightOnlyScales);
  QVERIFY2(!step.proposal.overlay.empty(), step.proposal.reason.c_str());
  QVERIFY2(step.difference.empty(), step.difference.c_str());
  const auto wanted = network.outputs(step.before, false);
  const double gain = test::sqnrOf(wanted, network.outputs(step.after, true)) -
                      test::sqnrOf(wanted, network.outputs(step.before, true));
  QVERIFY2(gain > 3, qPrintable(QString::number(gain)));
  const Stepped rounded(network, proposeSmoothing);
  QVERIFY(test::contains(rounded.proposal.reason, "no layers with rounded inputs"));
}

void ChannelStepsTest::rectifiedMeans_data() {
  QTest::addColumn<double>("mean");
  QTest::addColumn<double>("deviation");
  QTest::addColumn<double>("ceiling");
  const double none = std::numeric_limits<double>::infinity();
  for (const double ceiling : {none, 6.0}) {
    for (const double mean : {-2.0, 0.0, 0.7, 5.0}) {
      for (const double deviation : {0.3, 1.0, 4.0}) {
        QTest::addRow("%g ± %g to %g", mean, deviation, ceiling) << mean << deviation << ceiling;
      }
    }
  }
}

// A million draws leave a standard error of no more than a thousandth of the deviation.
void ChannelStepsTest::rectifiedMeans() {
  QFETCH(const double, mean);
  QFETCH(const double, deviation);
  QFETCH(const double, ceiling);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(mean, deviation);
  constexpr int kDraws = 1000000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += std::clamp(normal(random), 0.0, ceiling);
  const double drawn = sum / kDraws;
  const double found = rectifiedMean(mean, deviation, ceiling);
  QVERIFY2(std::abs(found - drawn) < 5e-3 * deviation,
           qPrintable(QString("%1, drawn %2").arg(found).arg(drawn)));
}

void ChannelStepsTest::analyticBiasNeedsNormalization() {
  RepairCase network(kShifted, kPerTensor);
  const RepairState before = network.folded();
  SampleSet none(std::make_unique<SampleSubset>(*network.data, std::vector<std::size_t>()), 0);
  RepairTools tools{none, *network.data, network.settings, network.memory, network.job};
  const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
  const RepairProposal proposal = proposeAnalyticBias(before, layers, tools, 0);
  QVERIFY(proposal.overlay.empty());
  QVERIFY(test::contains(proposal.reason, "no layer reads what a batch normalization gives"));
}

// Coarse weights behind a normalization: what its β and γ say takes most of the mean error away.
void ChannelStepsTest::analyticBiasWinsWithoutSamples() {
  constexpr const char* kNormalized = R"(
    input x:float[1,8,8,8]
    w:float[16,8,1,1]
    scale:float[16]
    shift:float[16]{3, 2, 4, 3, 5, 2, 1, 3, 4, 3, 2, 5, 3, 3, 2, 4}
    mean:float[16]{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
    var:float[16]{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
    a = Conv(x, w) @conv
    b = BatchNormalization(a, scale, shift, mean, var) @norm
    c = Relu(b) @relu
    v:float[8,16,1,1]
    y = Conv(c, v) @last
    output y
  )";
  RepairCase network(kNormalized, R"({"quantscope": 1, "backend": "generic", "default":
      {"weight": {"type": "int2", "granularity": "per-tensor"}, "activation": {"type": "fp32"}},
      "nodes": {"conv": "fp32"}})");
  const RepairState before = network.folded();
  SampleSet none(std::make_unique<SampleSubset>(*network.data, std::vector<std::size_t>()), 0);
  RepairTools tools{none, *network.data, network.settings, network.memory, network.job};
  RepairState state = before;
  // The first layer stays float, so nothing was folded: say what its normalization says.
  const Graph& graph = before.engine->graph();
  NormalStatistics statistics;
  const Tensor& shift = graph[graph.findValue("shift")].constant;
  const Tensor& scale = graph[graph.findValue("scale")].constant;
  for (std::size_t c = 0; c < 16; ++c) {
    statistics.mean.push_back(shift.values<float>()[c]);
    statistics.deviation.push_back(std::abs(scale.values<float>()[c]));
  }
  state.statistics[graph.findNode("norm")] = statistics;
  const RepairProposal proposal =
      proposeAnalyticBias(state, findLinearLayers(*state.engine, *state.model), tools, 0);
  QVERIFY2(!proposal.overlay.empty(), proposal.reason.c_str());
  const RepairState after = withOverlay(state, proposal.overlay, proposal.effect, tools);
  const auto wanted = network.outputs(before, false);
  const double gain = test::sqnrOf(wanted, network.outputs(after, true)) -
                      test::sqnrOf(wanted, network.outputs(before, true));
  QVERIFY2(gain > 3, qPrintable(QString::number(gain)));
}

void ChannelStepsTest::gateRefusesOtherOutputs() {
  RepairCase network(kShifted, kPerTensor);
  const Stepped step(network, proposeDoubling);
  QVERIFY2(test::contains(step.difference, "changes the float output 'y'"),
           step.difference.c_str());
  RepairRequest request;
  request.steps = {{"doubling", "", 0, proposeDoubling}};
  const RepairResult result = network.repair(request);
  QVERIFY(!result.steps[0].kept);
  QVERIFY(test::contains(result.steps[0].reason, "by more than rounding"));
  QVERIFY(result.state.engine == network.state.engine);
}

QUANTSCOPE_TEST(ChannelStepsTest)
#include "test_channel_steps.moc"
