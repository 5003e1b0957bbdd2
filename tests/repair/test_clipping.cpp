#include <QtTest>
#include <cmath>

#include "calibration/sample_subset.h"
#include "engine/fake_quantize_tensor.h"
#include "export/json/repair_json.h"
#include "repair/biases/bias_correction.h"
#include "repair/ranges/activation_ranges.h"
#include "repair/ranges/weight_clipping.h"
#include "repair/repair_case.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// One weight of 8 beside many of about 1: with four bits all others are rounded to steps of 8/7.
constexpr const char* kOutlier = R"(
  input x:float[16,12]
  w:float[12,1]{8, 0.9, -0.6, 0.4, -0.7, 0.5, 0.3, -0.4, 0.6, -0.9, 0.5, 0.45}
  y = MatMul(x, w) @product
  output y
)";

// The bias of the first channel needs a scale that is far above that of its weights.
constexpr const char* kSmallWeights = R"(
  input x:float[1,2,4,4]
  w:float[2,2,1,1]{1.5e-7, 0.7e-7, 1, 0.5}
  b:float[2]{5, 0.25}
  y = Conv(x, w, b) @conv
  output y
)";
constexpr const char* kSmallBeforeUsual = R"(
  input x:float[1,2,4,4]
  w:float[2,2,1,1]{1.5e-7, 0.7e-7, 1, 0.5}
  b:float[2]{5, 0.25}
  v:float[2,2,1,1]{0.5, 0.25, -0.5, 0.75}
  c:float[2]{0.5, 0.25}
  h = Conv(x, w, b) @conv
  y = Conv(h, v, c) @usual
  output y
)";
constexpr const char* kIntegerBias = R"({"quantscope": 1, "backend": "generic",
  "bias": "int32-fit", "default": {"weight": {"granularity": "per-channel"}}})";

constexpr const char* kAsymmetric = R"({"quantscope": 1, "backend": "generic",
    "default": {"weight": {"type": "uint4", "symmetric": false, "granularity": "per-tensor"},
                "activation": {"type": "fp32"}}})";

constexpr const char* kPerChannel = R"({"quantscope": 1, "backend": "generic"})";

// Samples whose first input, which meets the large weight, is that factor of the others.
std::vector<Tensor> samplesWith(float factor) {
  std::vector<Tensor> samples = test::randomSamples(Shape{16, 12}, 16, 5);
  for (Tensor& sample : samples) {
    for (std::size_t i = 0; i < sample.elementCount(); i += 12) {
      sample.mutableValues<float>()[i] *= factor;
    }
  }
  return samples;
}

}  // namespace

/// Smaller scales for weights.
class ClippingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clipsWhatMattersLittle();
  void keepsWhatMatters();
  void withoutSamples();
  void refusesFloats();
  void oneEndIsClipped_data();
  void oneEndIsClipped();
  void bothEndsAreClipped();
  void deadWeightsStay();
  void rangesLeaveOutliersOut();
  void integerBiasesFit();
  void integerBiasesFitInTheEnd();
  void biasesThatDoNotFitAreTold_data();
  void biasesThatDoNotFitAreTold();
};

void ClippingTest::clipsWhatMattersLittle() {
  RepairCase network(kOutlier, kFourBitsPerTensor, samplesWith(0.01F));
  const RepairState folded = network.folded();
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeClipping(folded, network.layers(), tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{1});
  const float before = weightParamsOf(*folded.model, network.layers().layers[0]).grids[0].scale;
  QVERIFY(proposal.overlay.grids[0].params.grids[0].scale < 0.6F * before);
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  const auto reference = network.outputs(folded, false);
  const double gain = test::sqnrOf(reference, network.outputs(after, true)) -
                      test::sqnrOf(reference, network.outputs(folded, true));
  QVERIFY2(gain > 2, qPrintable(QString::number(gain)));
  // The grid is in the configuration, and is what quantization applies.
  QVERIFY(after.model->layers[0].weight->grids == proposal.overlay.grids[0].params.grids);
}

void ClippingTest::keepsWhatMatters() {
  RepairCase network(kOutlier, kFourBitsPerTensor, samplesWith(100));
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeClipping(network.folded(), network.layers(), tools, 0);
  const float before =
      weightParamsOf(*network.state.model, network.layers().layers[0]).grids[0].scale;
  if (proposal.nodes > 0) {
    // Half a code beyond the last one costs nothing yet.
    QVERIFY(proposal.overlay.grids[0].params.grids[0].scale > 0.9F * before);
  }
}

void ClippingTest::withoutSamples() {
  RepairCase network(kOutlier, kFourBitsPerTensor, samplesWith(1));
  RepairTools tools = network.tools();
  SampleSet none(std::make_unique<SampleSubset>(*network.data, std::vector<std::size_t>{}));
  RepairTools without{none, *network.data, network.settings, network.memory, network.job};
  const RepairProposal fitted = proposeClipping(network.folded(), network.layers(), without, 0);
  QVERIFY(fitted.overlay.empty());
  QCOMPARE(fitted.reason, std::string("there are no samples to fit to"));
  QCOMPARE(proposeClipping(network.folded(), network.layers(), without, 1).reason.empty(),
           proposeClipping(network.folded(), network.layers(), tools, 1).reason.empty());
}

void ClippingTest::refusesFloats() {
  RepairCase network(kOutlier,
                     R"({"quantscope": 1, "backend": "generic",
                         "default": {"weight": {"type": "fp8e4m3"}}})");
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeClipping(network.folded(), network.layers(), tools, 0);
  QVERIFY(proposal.overlay.empty());
  QCOMPARE(proposal.reason, std::string("no layer's weights are integers"));
  QCOMPARE(proposal.refused.at(0).node, std::string("product"));
}

void ClippingTest::oneEndIsClipped_data() {
  QTest::addColumn<double>("outlier");
  QTest::addColumn<std::size_t>("way");
  QTest::newRow("upper, by samples") << 4.0 << std::size_t{0};
  QTest::newRow("lower, by samples") << -4.0 << std::size_t{0};
  QTest::newRow("upper, by weights") << 2.0 << std::size_t{1};
  QTest::newRow("lower, by weights") << -2.0 << std::size_t{1};
}

// The end without the outlier stays, whichever it is.
void ClippingTest::oneEndIsClipped() {
  QFETCH(const double, outlier);
  QFETCH(const std::size_t, way);
  // One weight of many more is worth less.
  const int inputs = way == 0 ? 256 : 2048;
  std::string text = "input x:float[16," + std::to_string(inputs) + "]\nw:float[" +
                     std::to_string(inputs) + ",1]{" + std::to_string(outlier);
  for (int i = 1; i < inputs; ++i) text += ", " + std::to_string(((i * 37) % 255 - 127) / 127.0);
  text += "}\ny = MatMul(x, w) @product\noutput y\n";
  std::vector<Tensor> samples = test::randomSamples(Shape{16, inputs}, 32, 5);
  for (Tensor& sample : samples) {
    for (std::size_t i = 0; i < sample.elementCount(); i += static_cast<std::size_t>(inputs)) {
      sample.mutableValues<float>()[i] *= 0.01F;
    }
  }
  RepairCase network(text, kAsymmetric, samples);
  RepairTools tools = network.tools();
  const RepairState folded = network.folded();
  const RepairProposal proposal = proposeClipping(folded, network.layers(), tools, way);
  QCOMPARE(proposal.nodes, std::size_t{1});
  const QuantParams& before = weightParamsOf(*folded.model, network.layers().layers[0]);
  const QuantParams& after = proposal.overlay.grids[0].params;
  const auto endsOf = [](const QuantParams& params) {
    const Grid& grid = params.grids[0];
    return std::pair(double{grid.scale} * (params.qmin - grid.zeroPoint),
                     double{grid.scale} * (params.qmax - grid.zeroPoint));
  };
  const auto [lowBefore, highBefore] = endsOf(before);
  const auto [low, high] = endsOf(after);
  const QByteArray words =
      QString("%1 … %2 → %3 … %4").arg(lowBefore).arg(highBefore).arg(low).arg(high).toUtf8();
  const double cut = outlier > 0 ? high / highBefore : low / lowBefore;
  const double kept = outlier > 0 ? low : high;
  QVERIFY2(cut < (way == 0 ? 0.6 : 0.8), words.constData());
  // Within a code, to which the zero point is rounded.
  QVERIFY2(std::abs(std::abs(kept) - 1) < 0.2, words.constData());
  QVERIFY(after.grids[0].zeroPoint >= after.qmin && after.grids[0].zeroPoint <= after.qmax);
  const RepairState repaired = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  QVERIFY(repaired.model->layers[0].weight->grids == after.grids);
  const auto reference = network.outputs(folded, false);
  const double gain = test::sqnrOf(reference, network.outputs(repaired, true)) -
                      test::sqnrOf(reference, network.outputs(folded, true));
  QVERIFY2(gain > (way == 0 ? 3 : -0.5), qPrintable(QString::number(gain)));
}

// Of the loss by weights, which is measured here: never above that of the unclipped grids; 0 stays.
void ClippingTest::bothEndsAreClipped() {
  RepairCase network(R"(
    input x:float[8,96]
    w:float[96,64]
    u:float[64,16]
    v:float[16,3]{0, 1, 0, 2, 3, 4, 5, 1, 0, 1, 2, 0.5, 0.25, 9, 1, 0.5, 0, 0, 3, 1, 1, 2, 2, 8, 1, 0.5, 0.75, 6, 0.125, 0, 3, 2, 1, 0.5, 0.25, 1, 2, 4, 1, 7, 0.5, 0.25, 1, 1, 2, 0, 3, 1}
    p = MatMul(x, w) @first
    q = MatMul(p, u) @second
    y = MatMul(q, v) @third
    output y
  )",
                     kAsymmetric, 16);
  RepairTools tools = network.tools();
  const RepairState folded = network.folded();
  const RepairProposal proposal = proposeClipping(folded, network.layers(), tools, 1);
  QVERIFY(proposal.nodes > 0);
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  const LinearLayers layers = network.layers();
  for (const LinearLayer& layer : layers.layers) {
    const Tensor weight = weightOf(*folded.engine, layer);
    const auto lossOf = [&](const RepairState& state) {
      const Tensor rounded = fakeQuantize(weight, weightParamsOf(*state.model, layer));
      double loss = 0;
      for (std::size_t i = 0; i < weight.elementCount(); ++i) {
        const double each = rounded.values<float>()[i];
        if (weight.values<float>()[i] == 0 && each != 0) return 1e9;
        loss += std::pow(std::abs(each - weight.values<float>()[i]), 2.4);
      }
      return loss;
    };
    const double before = lossOf(folded);
    const double now = lossOf(after);
    QVERIFY2(now <= before, qPrintable(QString("%1 → %2").arg(before).arg(now)));
  }
}

// The scale of weights that are all 0 cannot get smaller.
void ClippingTest::deadWeightsStay() {
  RepairCase network(R"(
    input x:float[4,2]
    w:float[2,2]{0, 1, 0, 0.5}
    y = MatMul(x, w) @product
    output y
  )",
                     kPerChannel, 8);
  RepairTools tools = network.tools();
  const RepairState folded = network.folded();
  const RepairProposal proposal = proposeClipping(folded, network.layers(), tools, 0);
  for (const FixedGrid& grid : proposal.overlay.grids) {
    for (const Grid& each : grid.params.grids) QVERIFY(std::isnormal(each.scale));
  }
}

// One element of a thousand is 1,000 times the others.
void ClippingTest::rangesLeaveOutliersOut() {
  std::vector<Tensor> samples = test::randomSamples(Shape{16, 12}, 64, 5);
  for (Tensor& sample : samples) {
    if (&sample == &samples[3]) sample.mutableValues<float>()[5] = 1000;
  }
  RepairCase network(kOutlier, R"({"quantscope": 1, "backend": "generic"})", samples);
  RepairTools tools = network.tools();
  const RepairState folded = network.folded();
  const RepairProposal proposal = proposeRanges(folded, network.layers(), tools, 1);
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  const auto scaleOf = [](const RepairState& state) {
    return state.model->layers[0].activation->grids[0].scale;
  };
  QVERIFY(scaleOf(after) < scaleOf(folded) / 50);
  // Once only: what is observed otherwise stays.
  QVERIFY(proposeRanges(after, network.layers(), tools, 0).overlay.empty());
}

// A smaller scale suits the weights of the first channel, and not its bias.
void ClippingTest::integerBiasesFit() {
  RepairCase network(kSmallWeights, kIntegerBias, 8);
  QCOMPARE(biasOverflows(network.state.model->layers[0]), std::size_t{0});
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeClipping(network.state, network.layers(), tools, 1);
  const RepairState after =
      withOverlay(network.state, proposal.overlay, OverlayEffect::Fitted, tools);
  QCOMPARE(biasOverflows(after.model->layers[0]), std::size_t{0});
  const auto& grids = after.model->layers[0].weight->grids;
  QVERIFY(grids[0] == network.state.model->layers[0].weight->grids[0]);
}

// Whatever steps have made of the scales.
void ClippingTest::integerBiasesFitInTheEnd() {
  RepairCase network(kSmallWeights, kIntegerBias, 16);
  RepairStep shrinks{
      "shrinks", "", 0,
      [](const RepairState& state, const LinearLayers& layers, RepairTools&, std::size_t) {
        const LinearLayer& layer = layers.layers[0];
        RepairProposal proposal;
        QuantParams params = weightParamsOf(*state.model, layer);
        params.grids[0].scale *= 0.3F;
        proposal.overlay.grids.push_back({layer.lead, layer.weightSlot, params});
        return proposal;
      }};
  shrinks.fitsBiases = true;
  RepairRequest request;
  request.steps.clear();
  request.given = {{shrinks, 0, {}}};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.raisedScales, std::size_t{1});
  QCOMPARE(biasOverflows(result.state.model->layers[0]), std::size_t{0});
  QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut) - 1);
  // The rows and what this costs are the way from the start to the end.
  const double told = result.steps[0].gainHeldOutDb.value() + result.raisedGainHeldOutDb.value();
  const double gain = worstDecibels(result.end.heldOut) - worstDecibels(result.start.heldOut);
  QVERIFY2(std::abs(told - gain) < 1e-9, qPrintable(QString("%1, %2").arg(told).arg(gain)));
  QCOMPARE(result.unfitBiases, std::size_t{0});
}

// Of a weight whose scales may not grow.
void ClippingTest::biasesThatDoNotFitAreTold_data() {
  QTest::addColumn<QString>("graph");
  QTest::addColumn<QString>("why");
  QTest::newRow("alone") << kSmallWeights << "encodings of the configuration";
  QTest::newRow("beside a layer that may change")
      << kSmallBeforeUsual << "the weights of these layers may not change";
}

void ClippingTest::biasesThatDoNotFitAreTold() {
  QFETCH(const QString, graph);
  QFETCH(const QString, why);
  RepairCase network(graph.toStdString().c_str(), R"({"quantscope": 1, "backend": "generic",
      "bias": "int32", "default": {"weight": {"granularity": "per-channel"}},
      "encodings": {"w": {"type": "int8", "scale": [1.2e-9, 0.0079], "axis": 0}}})",
                     16);
  QCOMPARE(biasOverflows(network.state.model->layers[0]), std::size_t{1});
  RepairStep same{
      "same", "", 0,
      [](const RepairState& state, const LinearLayers& layers, RepairTools&, std::size_t) {
        const LinearLayer& layer = layers.layers[0];
        RepairProposal proposal;
        proposal.overlay.constants.push_back(
            {layer.bias->node, layer.bias->slot,
             biasTensor(*state.engine, layer, biasOf(*state.engine, layer)), "bias"});
        return proposal;
      }};
  same.fitsBiases = true;
  RepairRequest request;
  request.steps.clear();
  request.given = {{same, 0, {}}};
  const RepairResult result = network.repair(request);
  QVERIFY(result.steps[0].kept);
  QCOMPARE(result.raisedScales, std::size_t{0});
  QCOMPARE(result.unfitBiases, std::size_t{1});
  const std::string text = repairText(result);
  QVERIFY2(text.find("1 bias still does not fit into its integer: " + why.toStdString()) !=
               std::string::npos,
           text.c_str());
}

QUANTSCOPE_TEST(ClippingTest)
#include "test_clipping.moc"
