#include <QtTest>
#include <atomic>
#include <cmath>
#include <new>
#include <optional>

#include "base/error.h"
#include "export/json/repair_json.h"
#include "repair/repair_case.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// The first input is always 0, and its weight makes the scale of all far too large.
constexpr const char* kLargeWeight = R"(
  input x:float[32,7]
  w:float[7,1]{100, 1, -0.8, 1.2, -1.1, 0.9, 1.3}
  y = MatMul(x, w) @product
  output y
)";

std::vector<Tensor> withoutFirstInput() {
  std::vector<Tensor> samples = randomSamples(Shape{32, 7}, 32, 5);
  for (Tensor& sample : samples) {
    for (std::size_t i = 0; i < sample.elementCount(); i += 7) sample.mutableValues<float>()[i] = 0;
  }
  return samples;
}

// Makes the large weight smaller; where it has to be `from`, only if it is.
RepairStep shrinking(const char* name, float to, std::optional<float> from = {}) {
  RepairStep step;
  step.name = name;
  step.what = "";
  step.samples = 0;
  step.fitsBiases = true;
  step.propose = [to, from](const RepairState& state, const LinearLayers& layers, RepairTools&,
                            std::size_t) {
    const LinearLayer& layer = layers.layers.front();
    const Tensor before = weightOf(*state.engine, layer);
    if (from && before.values<float>()[0] != *from) return notLegal("it is another weight");
    Tensor weight(ElementType::Float32, before.shape());
    std::ranges::copy(before.values<float>(), weight.mutableValues<float>().begin());
    weight.mutableValues<float>()[0] = to;
    RepairProposal proposal;
    proposal.overlay.constants.push_back({layer.lead, layer.weightSlot, weight, "weight"});
    proposal.nodes = 1;
    return proposal;
  };
  return step;
}

// One that fits in small steps, of two ways: each way ends as `ends` says, and changes nothing.
RepairStep ending(const std::vector<FittingEnd>& ends) {
  RepairStep step;
  step.name = "ending";
  step.what = "";
  step.samples = 0;
  step.ways = ends.size();
  step.endsItself = true;
  step.propose = [ends](const RepairState&, const LinearLayers&, RepairTools&, std::size_t way) {
    RepairProposal proposal = notLegal("no state was better than the start");
    proposal.end = ends[way];
    return proposal;
  };
  return step;
}

const FittingEnd kCut{"out of time", 5, 10, true};
const FittingEnd kDone{"done", 10, 10, false};

}  // namespace

/// What the rows of a repair tell of steps that go again, fail, or end early.
class StepReportsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsThatNeedOneThatGoesGoToo();
  void failuresAreNotHidden_data();
  void failuresAreNotHidden();
  void failuresBesideAWayThatCounts();
  void waysThatEndEarlyAreRemarks();
  void stoppedWaysAreUntried();
  void roundedWithoutSamplesIsANote();
};

// The last step does what the first one does, and the second one needs the first.
void StepReportsTest::stepsThatNeedOneThatGoesGoToo() {
  RepairCase network(kLargeWeight, kFourBitsPerTensor, withoutFirstInput());
  RepairRequest request;
  request.steps = {shrinking("first", 10), shrinking("second", 5, 10.0F), shrinking("third", 0)};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), std::size_t{3});
  QVERIFY(!result.steps[0].kept);
  QVERIFY2(test::contains(result.steps[0].reason, "beside the later steps"),
           result.steps[0].reason.c_str());
  QVERIFY(!result.steps[1].kept);
  QCOMPARE(result.steps[1].reason,
           std::string("without 'first' it changes nothing: it is another weight"));
  QVERIFY(!result.steps[1].gainHeldOutDb);
  QCOMPARE(result.steps[1].nodes, std::size_t{0});
  QVERIFY2(result.steps[2].kept, result.steps[2].reason.c_str());
  const double gain = worstDecibels(result.end.heldOut) - worstDecibels(result.start.heldOut);
  QVERIFY(std::abs(result.steps[2].gainHeldOutDb.value() - gain) < 1e-9);
  QVERIFY(gain > 10);
}

void StepReportsTest::failuresAreNotHidden_data() {
  QTest::addColumn<bool>("ofMemory");
  QTest::addColumn<QString>("reason");
  QTest::newRow("an error") << false << QStringLiteral("it went wrong");
  QTest::newRow("memory") << true << QStringLiteral("there was not enough memory for it");
}

// The second way finds nothing to change.
void StepReportsTest::failuresAreNotHidden() {
  QFETCH(const bool, ofMemory);
  QFETCH(const QString, reason);
  RepairCase network(kLargeWeight, kFourBitsPerTensor, withoutFirstInput());
  RepairStep step = shrinking("step", 0);
  step.ways = 2;
  step.propose = [ofMemory](const RepairState&, const LinearLayers&, RepairTools&,
                            std::size_t way) {
    if (way == 1) return notLegal("there is nothing to change");
    if (ofMemory) throw std::bad_alloc();
    throw Error(ErrorCode::InvalidData, "it went wrong");
  };
  RepairRequest request;
  request.steps = {step};
  QCOMPARE(network.repair(request).steps[0].reason, reason.toStdString());
}

void StepReportsTest::failuresBesideAWayThatCounts() {
  RepairCase network(kLargeWeight, kFourBitsPerTensor, withoutFirstInput());
  RepairStep step = shrinking("step", 0);
  step.ways = 2;
  step.propose = [works = step.propose](const RepairState& state, const LinearLayers& layers,
                                        RepairTools& tools, std::size_t way) {
    if (way == 0) throw std::bad_alloc();
    return works(state, layers, tools, way);
  };
  RepairRequest request;
  request.steps = {step};
  const StepReport report = network.repair(request).steps[0];
  QVERIFY2(report.kept, report.reason.c_str());
  QCOMPARE(report.notes,
           std::vector<std::string>{"one of its ways failed: there was not enough memory for it"});
}

// The first way had its share of the time, and much is left.
void StepReportsTest::waysThatEndEarlyAreRemarks() {
  RepairCase network(kLargeWeight, kFourBitsPerTensor, withoutFirstInput());
  RepairRequest request;
  request.seconds = 600;
  request.steps = {ending({kCut, kDone})};
  const RepairResult result = network.repair(request);
  QVERIFY(!result.outOfTime);
  QVERIFY(result.steps[0].end == kDone);
  QCOMPARE(result.steps[0].notes,
           std::vector<std::string>{
               "one of its ways ended early, out of time after 5 of at most 10 steps"});
  // The way that is told of has that among its remarks already.
  request.steps = {ending({kCut})};
  const RepairResult one = network.repair(request);
  QVERIFY(!one.outOfTime && one.steps[0].notes.empty());
  QVERIFY(test::contains(repairText(one), "out of time after 5 of at most 10 steps"));
}

void StepReportsTest::stoppedWaysAreUntried() {
  RepairCase network(kLargeWeight, kFourBitsPerTensor, withoutFirstInput());
  std::atomic<bool> stop{false};
  RepairStep step = ending({kCut});
  step.propose = [&stop, ends = step.propose](const RepairState& state, const LinearLayers& layers,
                                              RepairTools& tools, std::size_t way) {
    stop = true;
    return ends(state, layers, tools, way);
  };
  RepairRequest request;
  request.steps = {step};
  request.stop = [&stop] { return stop.load(); };
  const RepairResult result = network.repair(request);
  QVERIFY(result.outOfTime && result.stopped);
}

void StepReportsTest::roundedWithoutSamplesIsANote() {
  RepairCase network("input x:float[1,40]\nw:float[40,6]\ny = MatMul(x, w) @product\noutput y",
                     kFourBitsPerTensor, 24);
  RepairRequest request;
  request.given = {{*findRepairStep("round"), 1, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  const StepReport& step = result.steps[0];
  QVERIFY2(step.kept, step.reason.c_str());
  QVERIFY(step.refused.empty());
  const std::string text = repairText(result);
  QVERIFY2(test::contains(text, "note: 1 layer rounded without samples, such as product"),
           text.c_str());
  QVERIFY2(!test::contains(text, "1 layer refused"), text.c_str());
}

QUANTSCOPE_TEST(StepReportsTest)
#include "test_step_reports.moc"
