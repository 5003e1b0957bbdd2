#include <QtTest>
#include <cmath>
#include <random>
#include <set>

#include "export/qdq/verify_export.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"
#include "repair/repair_case.h"
#include "repair/scales/equivalence_gate.h"
#include "repair/scales/inserted_scales.h"
#include "repair/scales/scaled_layers.h"
#include "repair/scales/smoothing.h"
#include "repair/step_candidate.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kWay = 2;

// x times a random matrix behind an operator; channel 3 of x is a hundred times as large.
std::string outliersInto(const std::string& maker) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::string weights;
  for (int i = 0; i < 64 * 64; ++i) {
    weights += (i == 0 ? "" : ", ") + std::to_string(normal(random));
  }
  return "input x:float[16,64]\n" + maker + "w:float[64,64]{" + weights +
         "}\ny = MatMul(n, w) @product\noutput y\n";
}

std::vector<Tensor> withOutliers() {
  std::vector<Tensor> samples = randomSamples(Shape{16, 64}, 16, 7);
  for (Tensor& sample : samples) {
    for (std::size_t row = 0; row < 16; ++row) sample.mutableValues<float>()[row * 64 + 3] *= 100;
  }
  return samples;
}

// Two layers and a sum read what the activation makes.
constexpr const char* kSeveralReaders = R"(
  input x:float[1,8,6,6]
  a = HardSwish(x) @act
  v:float[4,8,3,3]
  c = Conv(a, v) pads=[1,1,1,1] @wide
  w:float[8,8,1,1]
  d = Conv(a, w) @point
  y = Add(d, a) @sum
  output y
  output c
)";
constexpr const char* kFloatOutputs = R"({"quantscope": 1,
    "default": {"output": {"type": "fp32"}}, "nodes": {"act": "fp32", "sum": "fp32"}})";

// The model with a Mul in front of all layers that a Mul may stand before.
struct WithMuls {
  explicit WithMuls(RepairCase& network) : before(network.folded()) {
    RepairTools tools = network.tools();
    const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
    found = findInsertedScales(before, layers, std::vector<bool>(layers.layers.size(), false));
    ScaledLayers scaled(*before.engine, layers.layers);
    Overlay muls;
    for (const ScaleRegion& site : found.sites) {
      std::vector<double> factors(site.channels);
      for (std::size_t c = 0; c < factors.size(); ++c) {
        factors[c] = std::ldexp(1.0, static_cast<int>(c % 5) - 2);
      }
      scaled.scale(site, factors);
      insertMul(before, layers.layers, site, factors, muls);
    }
    Overlay overlay = scaled.overlay();
    overlay.inserted = muls.inserted;
    overlay.forgotten = muls.forgotten;
    after = withOverlay(before, overlay, OverlayEffect::SameOutputs, tools);
  }

  const Graph& graph() const { return after.engine->graph(); }
  NodeId node(const char* name) const { return graph().findNode(name); }

  RepairState before;
  InsertedScales found;
  RepairState after;
};

double gainOf(const RepairCase& network, const RepairState& before, const RepairState& after) {
  const std::vector<Tensor> wanted = network.outputs(before, false);
  return test::sqnrOf(wanted, network.outputs(after, true)) -
         test::sqnrOf(wanted, network.outputs(before, true));
}

}  // namespace

/// SmoothQuant's factors where a Mul in front of layers takes them in.
class InsertedScalesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void powersOfTwoKeepBits_data();
  void powersOfTwoKeepBits();
  void outliersAreTakenIn_data();
  void outliersAreTakenIn();
  void otherReadersKeepTheValue();
  void oneGridInFrontOfTheLayer_data();
  void oneGridInFrontOfTheLayer();
  void exportVerifies();
  void laterStepsReadThroughIt();
  void fixedGridsOfTheEdgeGo();
  void recipeKeepsIt();
  void hasToBeWorthTheOperators();
  void refusals_data();
  void refusals();
  void layersWithoutOneSayWhy();
};

void InsertedScalesTest::powersOfTwoKeepBits_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("config");
  QTest::newRow("convolutions") << QByteArray(kSeveralReaders) << QByteArray(kFloatOutputs);
  QTest::newRow("in groups") << QByteArray(
                                    "input x:float[1,8,6,6]\na = Sigmoid(x) @act\n"
                                    "y = Conv(a, v:float[8,2,3,3]) group=4 @wide\noutput y")
                             << QByteArray(R"({"quantscope": 1, "nodes": {"act": "fp32"}})");
  QTest::newRow("transposed") << QByteArray(
                                     "input x:float[1,8,6,6]\na = Elu(x) @act\n"
                                     "y = ConvTranspose(a, v:float[8,3,2,2]) @wide\noutput y")
                              << QByteArray(R"({"quantscope": 1, "nodes": {"act": "fp32"}})");
  QTest::newRow("a product") << QByteArray::fromStdString(outliersInto("n = Tanh(x) @act\n"))
                             << QByteArray(R"({"quantscope": 1, "nodes": {"act": "fp32"}})");
  QTest::newRow("transposed weights")
      << QByteArray("input x:float[4,8]\ny = Gemm(x, v:float[3,8], b:float[3]) transB=1\noutput y")
      << QByteArray(R"({"quantscope": 1})");
}

void InsertedScalesTest::powersOfTwoKeepBits() {
  QFETCH(const QByteArray, text);
  QFETCH(const QByteArray, config);
  RepairCase network(text.toStdString(), config.toStdString());
  const WithMuls repaired(network);
  QCOMPARE(repaired.found.sites.size(), std::size_t{1});
  QVERIFY(std::ranges::equal(network.outputs(repaired.before, false),
                             network.outputs(repaired.after, false), identical));
}

void InsertedScalesTest::outliersAreTakenIn_data() {
  QTest::addColumn<QByteArray>("maker");
  QTest::addColumn<QByteArray>("config");
  const QByteArray outputs = R"({"quantscope": 1, "default": {"output": {"type": "fp32"}})";
  QTest::newRow("Gelu") << QByteArray("opset 20\nn = Gelu(x) @act\n") << outputs + "}";
  QTest::newRow("HardSwish in float")
      << QByteArray("n = HardSwish(x) @act\n") << outputs + R"(, "nodes": {"act": "fp32"}})";
  QTest::newRow("from outside") << QByteArray("n = Identity(x)\n") << outputs + "}";
}

void InsertedScalesTest::outliersAreTakenIn() {
  QFETCH(const QByteArray, maker);
  QFETCH(const QByteArray, config);
  std::string text = outliersInto(maker.toStdString());
  // The opset stands first.
  const std::size_t opset = text.find("opset 20\n");
  if (opset != std::string::npos) text = "opset 20\n" + text.erase(opset, 9);
  RepairCase network(text, config.toStdString(), withOutliers());
  const RepairState before = network.folded();
  RepairTools tools = network.tools();
  const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
  QVERIFY(proposeSmoothing(before, layers, tools, 0).overlay.empty());
  const RepairProposal proposal = proposeSmoothing(before, layers, tools, kWay);
  QVERIFY2(!proposal.overlay.empty(), proposal.reason.c_str());
  QCOMPARE(proposal.inserted, std::size_t{1});
  QCOMPARE(proposal.nodes, std::size_t{1});
  QCOMPARE(proposal.what, std::string("1 site, 1 with a Mul in front of 1 layer"));
  const RepairState after = withOverlay(before, proposal.overlay, proposal.effect, tools);
  const std::string difference =
      whyNotEquivalent(*before.engine, *after.engine, proposal.overlay, tools);
  QVERIFY2(difference.empty(), difference.c_str());
  const double gain = gainOf(network, before, after);
  QVERIFY2(gain >= 10, qPrintable(QString::number(gain)));
}

void InsertedScalesTest::otherReadersKeepTheValue() {
  RepairCase network(kSeveralReaders, kFloatOutputs);
  const WithMuls repaired(network);
  const Graph& graph = repaired.graph();
  QCOMPARE(graph.nodes().size(), repaired.before.engine->graph().nodes().size() + 1);
  const Node& mul = graph[repaired.node("act.scaled")];
  const ValueId made = graph[repaired.node("act")].outputs[0];
  QCOMPARE(mul.op, std::string("Mul"));
  QVERIFY(mul.inputs[0] == made);
  for (const char* layer : {"wide", "point"}) {
    QVERIFY(graph[repaired.node(layer)].inputs[0] == mul.outputs[0]);
  }
  QVERIFY(graph[repaired.node("sum")].inputs[1] == made);
}

void InsertedScalesTest::oneGridInFrontOfTheLayer_data() {
  QTest::addColumn<QByteArray>("backend");
  for (const char* backend : {"x86", "generic", "onnxruntime", "tensorrt", "qnnpack"}) {
    QTest::newRow(backend) << QByteArray(backend);
  }
}

// Nothing rounds the value but the edges to the layers, which share one grid.
void InsertedScalesTest::oneGridInFrontOfTheLayer() {
  QFETCH(const QByteArray, backend);
  std::string config = kFloatOutputs;
  config.insert(1, "\"backend\": \"" + backend.toStdString() + "\", ");
  RepairCase network(kSeveralReaders, config);
  const WithMuls repaired(network);
  const NodeId mul = repaired.node("act.scaled");
  const ValueId scaled = repaired.graph()[mul].outputs[0];
  const ValueId made = repaired.graph()[repaired.node("act")].outputs[0];
  std::set<std::size_t> groups;
  for (const QuantizationPoint& point : repaired.after.model->groups.points) {
    QVERIFY(point.value != made);
    if (point.value != scaled) continue;
    QVERIFY(!point.isOutput());
    groups.insert(point.group);
  }
  QCOMPARE(groups.size(), std::size_t{1});
  QVERIFY(repaired.after.model->applied.shared(mul) == nullptr);
  for (const std::string& notice : repaired.after.model->notices) {
    QVERIFY2(!test::contains(notice, "act.scaled"), notice.c_str());
  }
}

void InsertedScalesTest::exportVerifies() {
  RepairCase network(kSeveralReaders, kFloatOutputs);
  const WithMuls repaired(network);
  const QdqModel qdq = buildQdqModel(*repaired.after.engine, *repaired.after.model);
  const Engine written(importModelBytes(modelBytes(qdq.draft)), network.workers);
  MemorySource source(repaired.graph().inputs()[0], randomSamples(Shape{1, 8, 6, 6}, 16, 7));
  const ExportAgreement agreement = verifyExport(*repaired.after.engine, *repaired.after.model, qdq,
                                                 written, source, 16, network.job);
  QVERIFY2(agreement.problem().empty(), agreement.problem().c_str());
}

// The factors of a Mul that is there already are changed; no second one comes.
void InsertedScalesTest::laterStepsReadThroughIt() {
  RepairCase network(kSeveralReaders, kFloatOutputs);
  const WithMuls repaired(network);
  RepairTools tools = network.tools();
  const LinearLayers layers = findLinearLayers(*repaired.after.engine, *repaired.after.model);
  const RepairProposal proposal = proposeSmoothing(repaired.after, layers, tools, kWay);
  QVERIFY(proposal.overlay.inserted.empty());
  const RepairProposal absorbed = proposeSmoothing(repaired.after, layers, tools, 0);
  QVERIFY2(!absorbed.overlay.empty(), absorbed.reason.c_str());
}

// A repair has fixed the grid of an edge that is there no longer.
void InsertedScalesTest::fixedGridsOfTheEdgeGo() {
  RepairCase network(kSeveralReaders, kFloatOutputs);
  Overlay fixing;
  QuantParams params = *network.state.model->layers[1].activation;
  params.grids[0].scale *= 2;
  fixing.points.push_back({{"act", "wide"}, params});
  RepairTools tools = network.tools();
  network.state = withOverlay(network.state, fixing, OverlayEffect::Fitted, tools);
  QCOMPARE(network.state.config.encodings->entries.size(), std::size_t{1});
  const WithMuls repaired(network);
  QVERIFY(repaired.after.config.encodings->entries.empty());
}

void InsertedScalesTest::recipeKeepsIt() {
  RepairCase network(outliersInto("n = HardSwish(x) @act\n"),
                     R"({"quantscope": 1, "default": {"output": {"type": "fp32"}},
                         "nodes": {"act": "fp32"}})",
                     withOutliers());
  RepairRequest request;
  request.steps = {*findRepairStep("smooth")};
  const RepairResult result = network.repair(request);
  const StepReport& step = result.steps.at(0);
  QVERIFY2(step.kept, step.reason.c_str());
  QCOMPARE(step.inserted, std::size_t{2});  // with the Add of the product's bias
  QVERIFY(step.gainHeldOutDb > 10);
  const auto& [node, precision] = result.state.config.precision->nodes.back();
  QCOMPARE(node, std::string("act.scaled"));
  QVERIFY(precision.float32);
}

void InsertedScalesTest::hasToBeWorthTheOperators() {
  StepCandidate absorbed;
  absorbed.gain.heldOutDb = 1;
  StepCandidate inserted;
  inserted.proposal.inserted = 1;
  inserted.gain.heldOutDb = 1.05;
  QVERIFY(!inserted.beats(absorbed));
  inserted.gain.heldOutDb = 1.15;
  QVERIFY(inserted.beats(absorbed));
}

void InsertedScalesTest::refusals_data() {
  QTest::addColumn<QByteArray>("config");
  QTest::addColumn<QByteArray>("reason");
  QTest::newRow("rounded where it is made")
      << QByteArray(R"({"quantscope": 1})") << QByteArray("'act' rounds its output");
  QTest::newRow("a fixed grid") << QByteArray(R"({"quantscope": 1, "nodes": {"act": "fp32"},
      "encodings": {"[\"act\",\"wide\"]": {"type": "uint8", "scale": [0.1], "zero_point": [8]}}})")
                                << QByteArray("an encoding fixes the grid of");
  QTest::newRow("a named edge") << QByteArray(R"({"quantscope": 1, "nodes": {"act": "fp32"},
      "groups": {"part": [["act", "wide"], ["act", "point"]]}})")
                                << QByteArray("groups name the edge");
}

void InsertedScalesTest::refusals() {
  QFETCH(const QByteArray, config);
  QFETCH(const QByteArray, reason);
  RepairCase network(kSeveralReaders, config.toStdString());
  RepairTools tools = network.tools();
  LinearLayers layers = network.layers();
  layers.fixedValues = network.state.fixed.values;
  const InsertedScales found =
      findInsertedScales(network.state, layers, std::vector<bool>(layers.layers.size(), false));
  QVERIFY(found.sites.empty());
  QCOMPARE(found.refused.size(), std::size_t{2});
  QVERIFY2(test::contains(found.refused[0].reason, reason.constData()),
           found.refused[0].reason.c_str());
  const RepairProposal proposal = proposeSmoothing(network.state, layers, tools, kWay);
  QVERIFY(proposal.overlay.empty());
  QVERIFY2(test::contains(proposal.reason, reason.constData()), proposal.reason.c_str());
}

// Behind an operator that rounds its output, while another layer gets its Mul.
void InsertedScalesTest::layersWithoutOneSayWhy() {
  std::string text = outliersInto("n = HardSwish(x) @act\n");
  text += "q = Tanh(y) @tanh\nz = MatMul(q, u:float[64,4]) @last\noutput z\n";
  RepairCase network(text,
                     R"({"quantscope": 1, "default": {"output": {"type": "fp32"}}, "nodes":
                         {"act": "fp32", "tanh": {"activation": {"type": "uint8"}}}})",
                     withOutliers());
  RepairTools tools = network.tools();
  const RepairProposal proposal = proposeSmoothing(network.state, network.layers(), tools, kWay);
  QCOMPARE(proposal.inserted, std::size_t{1});
  const auto last = std::ranges::find(proposal.refused, "last", &RefusedLayer::node);
  QVERIFY(last != proposal.refused.end());
  QVERIFY2(test::contains(last->reason, "'tanh' rounds its output"), last->reason.c_str());
}

QUANTSCOPE_TEST(InsertedScalesTest)
#include "test_inserted_scales.moc"
