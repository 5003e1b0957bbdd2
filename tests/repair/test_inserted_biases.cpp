#include <QtTest>
#include <cmath>
#include <set>

#include "engine/execution.h"
#include "export/qdq/qdq_model.h"
#include "export/qdq/verify_export.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"
#include "repair/biases/bias_correction.h"
#include "repair/biases/inserted_biases.h"
#include "repair/repair_case.h"
#include "repair/rounding/rounding.h"
#include "support/memory_source.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Weights of few bits, so that they have mean errors; the layer's output stays as it comes.
constexpr const char* kCoarseLayer = R"({"quantscope": 1, "backend": "generic", "bias": "float",
    "default": {"weight": {"type": "int4", "granularity": "per-tensor"},
                "activation": {"type": "uint4"}, "output": {"type": "fp32"}}})";

constexpr const char* kProduct = R"(
  input x:float[1,8,12]
  w:float[12,6]
  y = MatMul(x, w) @layer
  output y
)";

constexpr const char* kRectified = R"(
  input x:float[4,12]
  w:float[12,6]
  p = MatMul(x, w) @layer
  y = Relu(p) @relu
  output y
)";

// The product is read twice, and an output itself.
constexpr const char* kReadTwice = R"(
  input x:float[4,12]
  w:float[12,12]
  p = MatMul(x, w) @layer
  a = Sigmoid(p) @gate
  y = Mul(p, a) @gated
  v:float[12,3]
  z = MatMul(y, v) @last
  output z
  output p
)";

// Both read one weight.
constexpr const char* kTied = R"(
  input x:float[4,6]
  w:float[6,6]
  p = MatMul(x, w) @first
  r = Relu(p) @relu
  y = MatMul(r, w) @second
  output y
)";

using ProposeBiases = RepairProposal(const RepairState&, const LinearLayers&, RepairTools&,
                                     std::size_t);

// What a step makes of a network.
struct Corrected {
  explicit Corrected(RepairCase& network, ProposeBiases& propose = proposeBiasCorrection,
                     std::size_t way = 0)
      : Corrected(network, network.state, propose, way) {}
  Corrected(RepairCase& network, const RepairState& before, ProposeBiases& propose,
            std::size_t way) {
    RepairTools tools = network.tools();
    proposal = propose(before, findLinearLayers(*before.engine, *before.model), tools, way);
    after = withOverlay(before, proposal.overlay, proposal.effect, tools);
  }

  RepairProposal proposal;
  RepairState after;
};

std::size_t quantizedLayers(const RepairState& state) {
  return static_cast<std::size_t>(
      std::ranges::count_if(state.model->layers, &LayerQuantization::quantized));
}

// y − x by column, on the average.
std::vector<double> meanDifferences(const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
  const auto columns = static_cast<std::size_t>(x[0].shape().back());
  std::vector<double> means(columns, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x[i].elementCount(); ++j) {
      means[j % columns] += double{y[i].values<float>()[j]} - x[i].values<float>()[j];
    }
  }
  for (double& mean : means) mean /= static_cast<double>(x.size() * x[0].elementCount() / columns);
  return means;
}

double mostOf(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

std::set<std::string> valueNames(const Graph& graph) {
  std::set<std::string> names;
  for (const Value& value : graph.values()) names.insert(value.name);
  return names;
}

}  // namespace

/// An Add behind a MatMul, as its bias.
class InsertedBiasesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void takeMeanErrorsAway();
  void onTheGridOfTheBias();
  void floatOutputsDifferByThem();
  void namesStay_data();
  void namesStay();
  void twinHasPlacesToo();
  void tiedWeightsGetOneEach();
  void encodingsStay();
  void notWhereTheyAreZero();
  void notWhereTheyAreNoPartOfTheLayer();
  void areCounted();
  void exportsRunAlike();
};

void InsertedBiasesTest::takeMeanErrorsAway() {
  RepairCase network(kProduct, kCoarseLayer, 12);
  const Corrected step(network);
  QCOMPARE(step.proposal.nodes, std::size_t{1});
  QCOMPARE(step.proposal.inserted, std::size_t{1});
  QVERIFY(step.proposal.refused.empty());
  const auto reference = network.outputs(network.state, false);
  const double before = mostOf(meanDifferences(reference, network.outputs(network.state, true)));
  const double now = mostOf(meanDifferences(reference, network.outputs(step.after, true)));
  QVERIFY2(before > 1e-3 && now < 1e-6, qPrintable(QString("%1 → %2").arg(before).arg(now)));
}

// An int32 bias is a multiple of s_x·s_w.
void InsertedBiasesTest::onTheGridOfTheBias() {
  RepairCase network(kProduct, R"({"quantscope": 1, "backend": "generic", "bias": "int32",
      "default": {"weight": {"type": "int4", "granularity": "per-tensor"},
                  "activation": {"type": "uint4"}, "output": {"type": "fp32"}}})",
                     12);
  const Corrected step(network);
  const LayerQuantization& layer = step.after.model->layers[0];
  const double grid = double{layer.activation->grids[0].scale} * layer.weight->grids[0].scale;
  const auto reference = network.outputs(network.state, false);
  const double now = mostOf(meanDifferences(reference, network.outputs(step.after, true)));
  QVERIFY2(now <= grid / 2 * 1.001, qPrintable(QString("%1, grid %2").arg(now).arg(grid)));
}

void InsertedBiasesTest::floatOutputsDifferByThem() {
  RepairCase network(kProduct, kCoarseLayer, 12);
  const Corrected step(network);
  const std::span<const float> bias = step.proposal.overlay.biases.at(0).bias.values<float>();
  const auto before = network.outputs(network.state, false);
  const auto after = network.outputs(step.after, false);
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < before[i].elementCount(); ++j) {
      const float wanted = before[i].values<float>()[j] + bias[j % bias.size()];
      QVERIFY(std::abs(after[i].values<float>()[j] - wanted) <= 4e-6F);
    }
  }
}

void InsertedBiasesTest::namesStay_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<int>("layers");
  QTest::newRow("alone") << QByteArray(kProduct) << 1;
  QTest::newRow("before a rectifier") << QByteArray(kRectified) << 1;
  QTest::newRow("read twice, and an output") << QByteArray(kReadTwice) << 2;
}

void InsertedBiasesTest::namesStay() {
  QFETCH(const QByteArray, text);
  QFETCH(const int, layers);
  RepairCase network(text.toStdString(), R"({"quantscope": 1})", 12);
  const Corrected step(network);
  const Graph& before = network.state.engine->graph();
  const Graph& after = step.after.engine->graph();
  QCOMPARE(static_cast<int>(step.proposal.inserted), layers);
  QCOMPARE(after.nodes().size(), before.nodes().size() + step.proposal.inserted);
  const std::set<std::string> names = valueNames(after);
  QVERIFY(std::ranges::includes(names, valueNames(before)));
  QVERIFY(std::ranges::equal(before.outputs(), after.outputs()));
  for (const ValueId output : before.outputs()) {
    QCOMPARE(after[output].name, before[output].name);
  }
  // Nodes read what they read before.
  for (std::size_t i = 0; i < before.nodes().size(); ++i) {
    QCOMPARE(after.nodes()[i].name, before.nodes()[i].name);
    QVERIFY(after.nodes()[i].inputs == before.nodes()[i].inputs);
  }
  // The layers are the same, each with its Add right behind the product.
  QCOMPARE(quantizedLayers(step.after), quantizedLayers(network.state));
  QCOMPARE(step.after.model->layers.size(), network.state.model->layers.size());
  for (const InsertedBias& each : step.proposal.overlay.biases) {
    const auto found = std::ranges::find_if(
        step.after.model->layers,
        [&](const LayerQuantization& layer) { return layer.layer.lead() == each.product; });
    QVERIFY(found != step.after.model->layers.end());
    QCOMPARE(after[found->layer.members.at(1)].name, after[each.product].name + ".add");
  }
  for (const LinearLayer& layer : findLinearLayers(*step.after.engine, *step.after.model).layers) {
    QVERIFY(layer.bias.has_value());
  }
}

// Values have the same ids in both, and those of the twin stay what they were.
void InsertedBiasesTest::twinHasPlacesToo() {
  RepairCase network(kReadTwice, kCoarseLayer, 12);
  const Corrected step(network);
  const Graph& twin = step.after.twin->graph();
  QVERIFY(valueNames(twin) == valueNames(step.after.engine->graph()));
  RepairState ofTwin = step.after;
  ofTwin.engine = ofTwin.twin;
  QVERIFY(std::ranges::equal(network.outputs(network.state, false), network.outputs(ofTwin, false),
                             [](const Tensor& a, const Tensor& b) {
                               return std::ranges::equal(a.values<float>(), b.values<float>());
                             }));
  // Once there, the bias is only replaced.
  const Corrected again(network, step.after, proposeRounding, 0);
  QCOMPARE(again.proposal.inserted, std::size_t{0});
  QVERIFY(again.proposal.overlay.biases.empty());
  QCOMPARE(again.after.engine->graph().nodes().size(), twin.nodes().size());
}

void InsertedBiasesTest::tiedWeightsGetOneEach() {
  for (const std::size_t way : {std::size_t{0}, kRoundingWays - 1}) {
    RepairCase network(kTied, kCoarseLayer, 24);
    const Corrected step(network, proposeRounding, way);
    QCOMPARE(step.proposal.inserted, std::size_t{2});
    QCOMPARE(quantizedLayers(step.after), quantizedLayers(network.state));
    const auto reference = network.outputs(network.state, false);
    QVERIFY(mostOf(meanDifferences(reference, network.outputs(step.after, true))) < 1e-6);
  }
}

// Of the output, and of an edge that is parted from it.
void InsertedBiasesTest::encodingsStay() {
  RepairCase network(kReadTwice, R"({"quantscope": 1, "backend": "generic",
      "groups": {"part": [["layer", "gate"]]},
      "encodings": {"layer": {"type": "uint8", "scale": [0.07], "zero_point": [128]},
                    "[\"layer\",\"gate\"]": {"type": "uint8", "scale": [0.05],
                                             "zero_point": [128]}}})",
                     12);
  const Corrected step(network);
  QCOMPARE(step.proposal.inserted, std::size_t{2});
  const auto gridsOf = [](const RepairState& state) {
    std::vector<float> scales;
    for (const QuantizationPoint& point : state.model->groups.points) {
      const std::optional<QuantParams>& params = state.model->groupParams[point.group];
      scales.push_back(params && !params->grids.empty() ? params->grids[0].scale : 0);
    }
    return scales;
  };
  const std::vector<float> scales = gridsOf(step.after);
  QCOMPARE(scales, gridsOf(network.state));
  QCOMPARE(std::ranges::count(scales, 0.05F), std::ptrdiff_t{1});
  QVERIFY(std::ranges::count(scales, 0.07F) > 0);
  // They count as fixed as before.
  const FixedGrids fixed = findFixedGrids(*step.after.engine, step.after.config, *step.after.model);
  QVERIFY(fixed.points == step.after.fixed.points);
  QVERIFY(fixed.values == network.state.fixed.values);
}

// Weights and inputs on their grids have no error to make up for.
void InsertedBiasesTest::notWhereTheyAreZero() {
  std::vector<Tensor> samples;
  for (int i = 0; i < 4; ++i) {
    Tensor sample(ElementType::Float32, Shape{1, 2});
    sample.mutableValues<float>()[0] = -128;
    sample.mutableValues<float>()[1] = 127;
    samples.push_back(sample);
  }
  RepairCase network(R"(
    input x:float[1,2]
    w:float[2,2]{127, 1, 2, -127}
    y = MatMul(x, w) @layer
    output y
  )",
                     R"({"quantscope": 1, "backend": "generic", "default":
      {"weight": {"granularity": "per-tensor"}, "output": {"type": "fp32"}}})",
                     samples);
  const Corrected step(network);
  QVERIFY(step.proposal.overlay.biases.empty());
  QCOMPARE(step.proposal.inserted, std::size_t{0});
}

void InsertedBiasesTest::notWhereTheyAreNoPartOfTheLayer() {
  QTemporaryDir folder;
  const std::string backend = writeFile(folder, "mine.json", R"({"quantscope_backend": 1,
      "name": "mine", "tensors": {"t": {"types": ["int8"]}},
      "patterns": [{"lead": ["MatMul"], "followers": [["Relu"]]}],
      "ways": [{"operators": ["MatMul"], "mode": "static", "weight": "t", "activation": "t"}]})");
  const std::string config = R"({"quantscope": 1, "backend": ")" + backend + "\"}";
  for (const char* text : {kProduct, kRectified}) {
    RepairCase network(text, config, 12);
    const Corrected step(network);
    QVERIFY(step.proposal.overlay.empty());
    QCOMPARE(step.proposal.refused.at(0).node, std::string("layer"));
    QCOMPARE(step.proposal.refused.at(0).reason,
             std::string("the backend does not quantize it as one layer with an Add behind it"));
    // Weights are rounded all the same.
    const Corrected rounded(network, proposeRounding);
    QCOMPARE(rounded.proposal.nodes, std::size_t{1});
    QCOMPARE(rounded.proposal.inserted, std::size_t{0});
  }
}

void InsertedBiasesTest::areCounted() {
  RepairCase network(kReadTwice, kCoarseLayer, 32);
  RepairRequest request;
  request.steps = {*findRepairStep("bias-correction")};
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QCOMPARE(result.steps[0].inserted, std::size_t{2});
  QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut));
}

void InsertedBiasesTest::exportsRunAlike() {
  const std::vector<Tensor> samples = randomSamples(Shape{4, 12}, 12, 7);
  RepairCase network(kReadTwice, R"({"quantscope": 1})", samples);
  const Corrected step(network, proposeRounding);
  QCOMPARE(step.proposal.inserted, std::size_t{2});
  const Engine& engine = *step.after.engine;
  const QdqModel qdq = buildQdqModel(engine, *step.after.model);
  const Engine written(importModelBytes(modelBytes(qdq.draft)), network.workers);
  MemorySource source(engine.graph().inputs()[0], samples);
  const ExportAgreement agreement =
      verifyExport(engine, *step.after.model, qdq, written, source, samples.size(), network.job);
  QVERIFY2(agreement.problem().empty(), agreement.problem().c_str());
  QVERIFY(agreement.share() == 1);
}

QUANTSCOPE_TEST(InsertedBiasesTest)
#include "test_inserted_biases.moc"
