#include <QTemporaryDir>
#include <QtTest>
#include <map>
#include <span>

#include "export/json/repair_json.h"
#include "jobs/repair/run_repair.h"
#include "jobs/sample_network.h"
#include "repair/named_layers.h"
#include "repair/propose_step.h"
#include "repair/repair_case.h"
#include "repair/scales/scale_regions.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kTwoLayers = R"(
  input x:float[1,3,6,6]
  w1:float[6,3,3,3]
  scale:float[6]{1, 0.5, 2, 1, 4, 0.1}
  shift:float[6]{0, 1, -1, 0.5, 0, 0}
  mean:float[6]{0.1, 0, 0, -0.2, 0, 0}
  var:float[6]{1, 2, 0.5, 1, 1, 3}
  a = Conv(x, w1) @conv1
  n = BatchNormalization(a, scale, shift, mean, var) @norm
  b = Relu(n) @relu
  w2:float[4,6,1,1]
  y = Conv(b, w2) @conv2
  output y
)";

std::string withEncodings(const std::string& encodings) {
  return R"({"quantscope": 1, "backend": "generic", "bias": "float",
             "default": {"weight": {"type": "int4", "granularity": "per-tensor"}},
             "encodings": {)" +
         encodings + "}}";
}

std::map<std::string, QuantParams> weightGrids(const RepairState& state) {
  std::map<std::string, QuantParams> grids;
  for (const LinearLayer& layer : findLinearLayers(*state.engine, *state.model).layers) {
    grids.emplace(state.engine->graph()[layer.lead].name, weightParamsOf(*state.model, layer));
  }
  return grids;
}

}  // namespace

/// Grids that the configuration fixes by encodings.
class FixedGridsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void foldingKeepsThem();
  void areLeftAlone_data();
  void areLeftAlone();
  void othersStillMove();
  void valuesOnFixedGridsKeepTheirScale();
  void normalizationsOfOthersStay_data();
  void normalizationsOfOthersStay();
  void rectifiersElsewhereKeepThem();
  void onlyRangesThatMovedAreForgotten_data();
  void onlyRangesThatMovedAreForgotten();
  void repairingAgainKeepsThem();
};

void FixedGridsTest::foldingKeepsThem() {
  RepairCase network(kTwoLayers, withEncodings(R"("w1": {"type": "int4", "scale": [0.5]})"));
  QCOMPARE(weightGrids(network.folded()), weightGrids(network.state));
  QCOMPARE(weightGrids(network.folded()).at("conv1").grids[0].scale, 0.5F);
}

void FixedGridsTest::areLeftAlone_data() {
  QTest::addColumn<std::string>("step");
  for (const char* step : {"equalize", "clip", "smooth", "split-channels", "round"}) {
    QTest::newRow(step) << std::string(step);
  }
}

// Whatever held-out samples say.
void FixedGridsTest::areLeftAlone() {
  QFETCH(const std::string, step);
  RepairCase network(kTwoLayers, withEncodings(R"("w1": {"type": "int4", "scale": [0.5]},
                                                  "w2": {"type": "int4", "scale": [0.2]})"));
  RepairRequest request;
  request.given = {{*findRepairStep(step), 0, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  QCOMPARE(weightGrids(result.state), weightGrids(network.state));
  const StepReport& report = result.steps[0];
  QCOMPARE(report.kept, step == "round");
  if (step == "round") return;
  QVERIFY2(report.reason.find("encodings of the configuration") != std::string::npos,
           report.reason.c_str());
  QCOMPARE(report.refused.size(), std::size_t{2});
}

void FixedGridsTest::othersStillMove() {
  RepairCase network(kTwoLayers, withEncodings(R"("w1": {"type": "int4", "scale": [0.5]})"));
  RepairRequest request;
  request.given = {{*findRepairStep("clip"), 1, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QCOMPARE(result.steps[0].refused.at(0).node, std::string("conv1"));
  const std::string text = repairText(result);
  QVERIFY2(text.find("1 layer refused, such as conv1: an encoding") != std::string::npos,
           text.c_str());
  QCOMPARE(weightGrids(result.state).at("conv1"), weightGrids(network.state).at("conv1"));
  QVERIFY(weightGrids(result.state).at("conv2") != weightGrids(network.state).at("conv2"));
}

void FixedGridsTest::valuesOnFixedGridsKeepTheirScale() {
  const std::string fixed = R"("relu": {"type": "uint8", "scale": [0.05], "zero_point": [0]})";
  for (const bool isFixed : {false, true}) {
    RepairCase network(kTwoLayers, withEncodings(isFixed ? fixed : ""));
    RepairRequest request;
    request.given = {{*findRepairStep("equalize"), 0, {}}};
    request.steps.clear();
    const RepairResult result = network.repair(request);
    QCOMPARE(result.steps[0].kept, !isFixed);
    if (!isFixed) continue;
    QVERIFY2(result.steps[0].reason.find("fixes the grid of 'b'") != std::string::npos,
             result.steps[0].reason.c_str());
    QCOMPARE(result.state.config.encodings->entries.size(), std::size_t{1});
  }
}

void FixedGridsTest::normalizationsOfOthersStay_data() {
  QTest::addColumn<bool>("isFixed");
  QTest::newRow("a fixed weight") << true;
  QTest::newRow("a layer without a name") << false;
}

// Their scale and shift are folded into a weight that may not change.
void FixedGridsTest::normalizationsOfOthersStay() {
  QFETCH(const bool, isFixed);
  RepairCase network(kTwoLayers,
                     withEncodings(isFixed ? R"("w1": {"type": "int4", "scale": [0.5]})" : ""));
  const RepairState folded = network.folded();
  const std::vector<std::string> only =
      isFixed ? std::vector<std::string>() : std::vector<std::string>{"conv2"};
  LinearLayers layers = namedLayers(folded, only);
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeStep(*findRepairStep("smooth"), folded, layers, tools, 0);
  QVERIFY(proposal.overlay.empty());
  QVERIFY2(proposal.reason.find("the layer at its other end, 'conv1'") != std::string::npos,
           proposal.reason.c_str());
  std::erase_if(layers.layers, [&](const LinearLayer& layer) {
    return folded.engine->graph()[layer.lead].name == "conv1";
  });
  QVERIFY(findScaleRegions(*folded.engine, *folded.model, layers).regions.empty());
}

// Behind them the values change, but not what the configuration says of their grid.
void FixedGridsTest::rectifiersElsewhereKeepThem() {
  constexpr const char* kThreeLayers = R"(
    input x:float[1,3,4,4]
    w1:float[4,3,1,1]{1, 0.5, -0.5,  4, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}
    a = Conv(x, w1) @conv1
    b = Clip(a, l:float[]{0}, h:float[]{6}) @clip
    w2:float[4,4,1,1]{1, 0.25, 2, 0.5,  -0.5, 0.125, 4, 1,  1, 1, 1, 1,  0.5, 1, -1, 2}
    c = Conv(b, w2) @conv2
    d = Relu(c) @relu
    w3:float[2,4,1,1]
    y = Conv(d, w3) @conv3
    output y
  )";
  RepairCase network(
      kThreeLayers,
      withEncodings(R"("relu": {"type": "uint8", "scale": [0.05], "zero_point": [0]})"));
  RepairRequest request;
  request.given = {{*findRepairStep("equalize"), 1, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QCOMPARE(result.steps[0].what, std::string("of weights, Relu for Clip"));
  const Encoding* left = result.state.config.encodings->find({"relu", {}});
  QVERIFY(left != nullptr);
  QCOMPARE(left->scales.at(0), 0.05F);
}

void FixedGridsTest::onlyRangesThatMovedAreForgotten_data() {
  QTest::addColumn<float>("low");
  QTest::addColumn<bool>("isForgotten");
  QTest::newRow("by rounding") << -0.37501F << false;
  QTest::newRow("by more") << -0.38F << true;
}

// Of grids that a repair has fixed. A range from −0.375 to 20 has another low end.
void FixedGridsTest::onlyRangesThatMovedAreForgotten() {
  QFETCH(const float, low);
  QFETCH(const bool, isForgotten);
  constexpr const char* kTwoEnds = R"(
    input x:float[1,1,1,1]
    w1:float[2,1,1,1]{20, -0.375}
    a = Conv(x, w1) @conv1
    w2:float[2,2,1,1]
    y = Conv(a, w2) @conv2
    output y
  )";
  const std::vector<float> one{1};
  const std::vector<Tensor> samples(8, Tensor::of<float>(Shape{1, 1, 1, 1}, std::span(one)));
  RepairCase network(
      kTwoEnds, withEncodings(R"("conv1": {"type": "uint8", "scale": [0.08], "zero_point": [5]})"),
      samples);
  network.state.fixed = {};
  const LinearLayer layer = network.layers().layers.front();
  const std::vector<float> weight{20, low};
  Overlay overlay;
  overlay.constants.push_back({layer.lead, layer.weightSlot,
                               Tensor::of<float>(Shape{2, 1, 1, 1}, std::span(weight)), "weight"});
  RepairTools tools = network.tools();
  const RepairState after = withOverlay(network.state, overlay, OverlayEffect::SameOutputs, tools);
  QCOMPARE(after.config.encodings->entries.empty(), isForgotten);
}

// From what a repair has written: its model has neutral normalizations, its configuration all
// grids.
void FixedGridsTest::repairingAgainKeepsThem() {
  SampleNetwork network("digits_mobilenet", 2, 16);
  AnalysisMemory memory(std::size_t{128} << 20);
  RepairRequest request;
  request.steps.clear();
  request.given = {{*findRepairStep("equalize"), 0, {}}, {*findRepairStep("clip"), 1, {}}};
  const RepairResult first =
      runRepair(network.model, parseConfiguration(kFourBitsPerTensor, "test"), *network.data,
                *network.data, {}, request, memory, network.job);
  QTemporaryDir folder;
  const std::filesystem::path out = folder.path().toStdString();
  writeRepair(first, out, network.job);
  request.given = {{*findRepairStep("bias-correction"), 0, {}}};
  const RepairResult second =
      runRepair(loadModel(out / "model.onnx", network.job), readConfiguration(out / "config.json"),
                *network.data, *network.data, {}, request, memory, network.job);
  QVERIFY(second.steps[0].kept);
  QCOMPARE(weightGrids(second.state).size(), std::size_t{20});
  QCOMPARE(weightGrids(second.state), weightGrids(first.state));
}

QUANTSCOPE_TEST(FixedGridsTest)
#include "test_fixed_grids.moc"
