#include <QtTest>

#include "repair/propose_step.h"
#include "repair/repair_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kHalves = R"(
  input x:float[1,4,8,8]
  x16 = Cast(x) to=10
  w:float16[8,4,3,3]
  b:float16[8]
  a = Conv(x16, w, b) pads=[1,1,1,1] @first
  c = Relu(a)
  g:float16[8,8,1,1]
  h = Conv(c, g) @second
  p = GlobalAveragePool(h)
  f = Flatten(p)
  d:float16[8,6]
  m = MatMul(f, d) @product
  y = Cast(m) to=1
  output y
)";

constexpr const char* kFourBits =
    R"({"quantscope": 1, "backend": "generic", "default": {"weight": {"type": "int4"}}})";

RepairProposal proposalOf(const char* step, RepairCase& repaired, const RepairState& state) {
  RepairTools tools = repaired.tools();
  return proposeStep(*findRepairStep(step), state, repaired.layers(), tools, 0);
}

}  // namespace

/// Models whose weights are stored as float16.
class HalfWeightsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreRounded();
  void codesSurvive();
  void newBiasesAreHalvesToo();
  void scalesAreRefused();
  void normalizationsAreRefused();
};

void HalfWeightsTest::theyAreRounded() {
  RepairCase repaired(kHalves, kFourBits, 24);
  RepairRequest request;
  request.steps = {*findRepairStep("round")};
  const RepairResult result = repaired.repair(request);
  const auto reference = repaired.outputs(repaired.state, false);
  const double before = sqnrOf(reference, repaired.outputs(repaired.state, true));
  const double now = sqnrOf(reference, repaired.outputs(result.state, true));
  QVERIFY2(now > before + 1.5, qPrintable(QString("%1 → %2 dB").arg(before).arg(now)));
  QVERIFY(result.refused.empty());
  const Engine& engine = *result.state.engine;
  for (const Value& value : engine.graph().values()) {
    if (value.constant.defined()) QVERIFY(value.constant.type() == ElementType::Float16);
  }
}

// Stored as float16 they are not s·(q − z), but nearest to it.
void HalfWeightsTest::codesSurvive() {
  RepairCase repaired(kHalves, kFourBits, 24);
  const RepairProposal proposal = proposalOf("round", repaired, repaired.state);
  RepairTools tools = repaired.tools();
  const RepairState after =
      withOverlay(repaired.state, proposal.overlay, OverlayEffect::Fitted, tools);
  std::size_t weights = 0;
  for (const ChangedConstant& change : proposal.overlay.constants) {
    if (change.suffix != "weight") continue;
    ++weights;
    const NodeQuantization& applied = after.model->applied[change.node];
    const auto found =
        std::ranges::find(applied.constants, change.input, &std::pair<std::size_t, Tensor>::first);
    QVERIFY(found != applied.constants.end());
    QVERIFY(identical(found->second, change.tensor));
  }
  QCOMPARE(weights, std::size_t{3});
}

void HalfWeightsTest::newBiasesAreHalvesToo() {
  RepairCase repaired(kHalves, kFourBits, 24);
  const RepairProposal proposal = proposalOf("bias-correction", repaired, repaired.state);
  QCOMPARE(proposal.overlay.constants.size(), std::size_t{2});
  QCOMPARE(proposal.overlay.biases.size(), std::size_t{1});
  const std::shared_ptr<const Graph> graph =
      applyOverlay(repaired.state.engine->graph(), proposal.overlay);
  for (const char* node : {"first", "second", "product.add"}) {
    const Node& found = (*graph)[graph->findNode(node)];
    QVERIFY2((*graph)[found.inputs.back()].constant.type() == ElementType::Float16, node);
  }
  RepairTools tools = repaired.tools();
  const RepairState after =
      withOverlay(repaired.state, proposal.overlay, OverlayEffect::Fitted, tools);
  const auto reference = repaired.outputs(repaired.state, false);
  QVERIFY(sqnrOf(reference, repaired.outputs(after, true)) >
          sqnrOf(reference, repaired.outputs(repaired.state, true)) + 0.5);
}

void HalfWeightsTest::scalesAreRefused() {
  RepairCase repaired(kHalves, kPerTensor, 24);
  for (const RepairStep& step : repairSteps()) {
    if (step.takesHalves || step.wholeModel) continue;
    const RepairProposal proposal = proposalOf(step.name, repaired, repaired.state);
    QVERIFY2(proposal.overlay.empty(), step.name);
    QVERIFY2(proposal.reason.find("float16") != std::string::npos, proposal.reason.c_str());
  }
}

void HalfWeightsTest::normalizationsAreRefused() {
  const RepairCase repaired(R"(
    input x:float16[1,4,8,8]
    w:float16[8,4,3,3]
    s:float16[8]{1,2,1,1,0.5,1,1,1}
    v:float16[8]{1,1,2,1,1,1,3,1}
    a = Conv(x, w) pads=[1,1,1,1] @first
    n = BatchNormalization(a, s, s, s, v)
    y = Cast(n) to=1
    output y
  )",
                            kFourBits);
  const LinearLayers layers = repaired.layers();
  QVERIFY(layers.layers.empty());
  QCOMPARE(layers.refused.size(), std::size_t{1});
  QVERIFY(layers.refused[0].reason.find("normalization") != std::string::npos);
}

QUANTSCOPE_TEST(HalfWeightsTest)
#include "test_half_weights.moc"
