#include <QtTest>

#include "detectors/detector.h"
#include "repair/fitting_steps.h"
#include "repair/repair_case.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Two pairs of layers, with a Sigmoid between them that no factor passes.
constexpr const char* kTwoPairs = R"(
  input x:float[1,3,8,8]
  w1:float[6,3,3,3]
  scale:float[6]{1, 0.5, 2, 1, 4, 0.1}
  shift:float[6]{0, 1, -1, 0.5, 0, 0}
  mean:float[6]{0.1, 0, 0, -0.2, 0, 0}
  var:float[6]{1, 2, 0.5, 1, 1, 3}
  a = Conv(x, w1) pads=[1,1,1,1] @conv1
  b = BatchNormalization(a, scale, shift, mean, var) @norm
  c = Relu(b) @relu
  w2:float[4,6,1,1]
  d = Conv(c, w2) @conv2
  e = Sigmoid(d) @sigmoid
  w3:float[4,4,1,1]
  f = Conv(e, w3) @conv3
  g = Relu(f) @relu3
  w4:float[4,4,1,1]
  y = Conv(g, w4) @conv4
  output y
)";

}  // namespace

/// The repairs that act on the fault of a finding, and the layers that they may change.
class FittingStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void haveSteps();
  void haveLayers();
  void haveBothEnds();
  void withoutTheOtherEndTheySayWhy();
};

// Steps that exist, for detectors that exist.
void FittingStepsTest::haveSteps() {
  std::size_t repairable = 0;
  for (const Detector& detector : allDetectors()) {
    for (const bool weights : {false, true}) {
      Finding finding;
      finding.detector = detector.name;
      finding.aboutWeights = weights;
      const std::vector<std::string> steps = fittingSteps(finding);
      repairable += steps.empty() ? 0 : 1;
      for (const std::string& step : steps) QVERIFY2(findRepairStep(step) != nullptr, step.c_str());
    }
  }
  QVERIFY(repairable > 10);
  Finding finding;
  finding.detector = "bias_overflow";
  QCOMPARE(fittingSteps(finding), std::vector<std::string>{"bias-overflow"});
  finding.detector = "range_mismatch";
  QVERIFY(std::ranges::count(fittingSteps(finding), "split-channels") == 1);
  finding.detector = "constant_batches";
  QVERIFY(fittingSteps(finding).empty());
}

// Those that can be repaired by themselves, unless a step has to do with all of the model.
void FittingStepsTest::haveLayers() {
  RepairCase network(kTwoPairs, kFourBitsPerTensor);
  const Engine& engine = *network.state.engine;
  Finding finding;
  const auto repairOf = [&] { return fittingRepair(finding, engine, *network.state.model); };
  finding.detector = "bias_overflow";
  finding.node = engine.graph().findNode("conv3");
  QCOMPARE(repairOf().steps, fittingSteps(finding));
  QCOMPARE(repairOf().only, std::vector<std::string>{"conv3"});
  finding.members = {engine.graph().findNode("norm")};
  QCOMPARE(repairOf().only, (std::vector<std::string>{"conv1", "conv3"}));
  finding.detector = "outlier";
  QVERIFY(repairOf().only.empty());
  QCOMPARE(wholeModelStep(repairOf().steps), std::string("ranges"));
  finding.detector = "per_channel";
  finding.node = NodeId();
  finding.members.clear();
  QVERIFY(repairOf().only.empty());
}

// Where a step scales channels between layers: those that make and read them.
void FittingStepsTest::haveBothEnds() {
  RepairCase network(kTwoPairs, kFourBitsPerTensor);
  const Graph& graph = network.state.engine->graph();
  const auto onlyOf = [&](const char* detector, const char* node) {
    Finding finding;
    finding.detector = detector;
    finding.node = graph.findNode(node);
    return fittingRepair(finding, *network.state.engine, *network.state.model).only;
  };
  const std::vector<std::string> first{"conv1", "conv2"};
  const std::vector<std::string> second{"conv3", "conv4"};
  for (const char* detector : {"equalization", "channel_dominance", "depthwise_disparity"}) {
    QCOMPARE(onlyOf(detector, "conv1"), first);
    QCOMPARE(onlyOf(detector, "conv2"), first);
    QCOMPARE(onlyOf(detector, "conv4"), second);
  }
  RepairRequest request;
  request.given = {{*findRepairStep("equalize"), 0, onlyOf("equalization", "conv2")}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QCOMPARE(result.steps[0].nodes, std::size_t{2});
}

void FittingStepsTest::withoutTheOtherEndTheySayWhy() {
  RepairCase network(kTwoPairs, kFourBitsPerTensor, 32);
  RepairRequest request;
  request.only = {"conv2"};
  request.steps = {*findRepairStep("equalize"), *findRepairStep("smooth")};
  const RepairResult result = network.repair(request);
  for (const StepReport& step : result.steps) {
    QVERIFY2(test::contains(step.reason,
                            "of 'conv2' the layer at its other end, 'conv1', is not among those "
                            "that may change"),
             step.reason.c_str());
  }
}

QUANTSCOPE_TEST(FittingStepsTest)
#include "test_fitting_steps.moc"
