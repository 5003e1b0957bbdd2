#include <QtTest>

#include "analysis/errors/worst_output.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/repair/decide_step.h"
#include "jobs/repair/fitting_gain.h"
#include "jobs/repair/run_repair.h"
#include "jobs/request_labels.h"
#include "jobs/sample_network.h"
#include "onnx/writing/write_model.h"
#include "repair/output_judge.h"
#include "repair/repair_case.h"
#include "repair/repair_course.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kBiasedLayer = R"(
  input x:float[1,4,6,6]
  w:float[5,4,3,3]
  b:float[5]
  y = Conv(x, w, b) @conv
  output y
)";

constexpr const char* kBareLayer = R"(
  input x:float[1,4,6,6]
  w:float[5,4,3,3]
  y = Conv(x, w) @conv
  output y
)";

/// A complete result of the bundled convolutional network under per-tensor weights.
struct Shown {
  Shown() {
    AnalysisRequest request;
    request.model = network.model.file;
    request.data = "given";
    request.config.precision.edit(
        [](PrecisionConfig& types) { types.defaults.weight.granularity = Granularity(); });
    snapshot = runAnalysis({request, network.model, network.data, network.data, {}}, nullptr,
                           memory, network.job);
  }

  RepairResult repair(const RepairRequest& request) {
    return runRepair(*snapshot, {}, request, memory, network.job);
  }

  RepairResult decide(const RepairResult* before, const StepDecision& decision,
                      const RepairRequest& limits = {}) {
    return decideStep(*snapshot, before, decision, repairSteps(), limits, {}, memory, network.job);
  }

  SampleNetwork network{"digits_mobilenet", 2, 16};
  AnalysisMemory memory{std::size_t{128} << 20};
  SnapshotPtr snapshot;
};

GivenStep given(const RepairResult& from, const std::string& step) {
  const auto report = std::ranges::find(from.steps, step, &StepReport::step);
  return {*findRepairStep(step), report->way, {}};
}

RepairRequest only(const std::string& step) {
  RepairRequest request;
  request.steps = {*findRepairStep(step)};
  return request;
}

std::string modelAndConfig(const RepairResult& result) {
  return modelBytes({result.state.engine->graph(), {}}) + toJson(result.state.config);
}

const StepReport& reportOf(const RepairResult& result, const std::string& step) {
  return *std::ranges::find(result.steps, step, &StepReport::step);
}

}  // namespace

/// Steps that somebody has decided on, one after the other.
class GivenStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void startsFromWhatIsShown();
  void goOnFromWhatIsKnown();
  void stayThoughTheyHarm();
  void canBeTakenBack();
  void whatCannotRunSaysWhy();
  void theRepairedResultIsWhatWasPromised();
  void layersAreMeasuredAgainstTheirTwins_data();
  void layersAreMeasuredAgainstTheirTwins();
  void withoutTimeWhatWasDecidedStays();
  void aStepIsTriedByItself();
  void aStepIsDroppedAndKept();
  void whatTheyWinTogether();
  void whatCannotBeRepairedWinsNothing();
};

// The ranges that the analysis has observed are those that a repair by itself observes.
void GivenStepsTest::startsFromWhatIsShown() {
  Shown shown;
  const RepairResult here = shown.repair(only("equalize"));
  const RepairResult alone =
      runRepair(shown.network.model, shown.snapshot->request.config, *shown.network.data,
                *shown.network.data, {}, only("equalize"), shown.memory, shown.network.job);
  QVERIFY(reportOf(here, "equalize").kept);
  QVERIFY(modelAndConfig(here) == modelAndConfig(alone));
}

// Known or computed again, the same bits.
void GivenStepsTest::goOnFromWhatIsKnown() {
  Shown shown;
  const RepairResult first = shown.repair(only("equalize"));
  QVERIFY(reportOf(first, "equalize").kept);
  RepairRequest next = only("bias-correction");
  next.given = {given(first, "equalize")};
  const RepairResult again = shown.repair(next);
  next.known = {first.course};
  const RepairResult known = shown.repair(next);
  QCOMPARE(known.steps.size(), std::size_t{2});
  QCOMPARE(known.steps[0].seconds, reportOf(first, "equalize").seconds);  // it did not run
  QVERIFY(known.steps[0].kept && again.steps[0].kept);
  QCOMPARE(known.steps[1].reason, again.steps[1].reason);
  QVERIFY(modelAndConfig(known) == modelAndConfig(again));
  QCOMPARE(worstDecibels(known.endAll), worstDecibels(again.endAll));
  QCOMPARE(worstDecibels(known.startAll), worstDecibels(first.startAll));
}

void GivenStepsTest::stayThoughTheyHarm() {
  Shown shown;
  const auto halve = [](const RepairState& state, const LinearLayers& layers, RepairTools&,
                        std::size_t) {
    const LinearLayer& layer = layers.layers.front();
    const Tensor before = weightOf(*state.engine, layer);
    Tensor weight(ElementType::Float32, before.shape());
    for (std::size_t i = 0; i < weight.elementCount(); ++i) {
      weight.mutableValues<float>()[i] = before.values<float>()[i] / 2;
    }
    RepairProposal harm;
    harm.overlay.constants.push_back({layer.lead, layer.weightSlot, weight, "weight"});
    harm.nodes = 1;
    return harm;
  };
  RepairRequest request = only("bias-correction");
  RepairStep harm{"harm", "", 0, halve};
  harm.fitsBiases = true;  // so that nothing makes up for it
  request.given = {{harm, 0, {}}};
  request.steps.clear();
  const RepairResult result = shown.repair(request);
  QVERIFY(result.steps[0].kept);
  QVERIFY(result.steps[0].gainHeldOutDb.value() < -1);
  QVERIFY2(result.steps[0].reason.starts_with("it was chosen, but it gains less than"),
           result.steps[0].reason.c_str());
  QVERIFY(worstDecibels(result.endAll) < worstDecibels(result.startAll) - 1);
}

void GivenStepsTest::canBeTakenBack() {
  Shown shown;
  const RepairResult first = shown.repair(only("equalize"));
  RepairRequest nothing;
  nothing.steps.clear();
  nothing.known = {first.course};
  const RepairResult back = shown.repair(nothing);
  QVERIFY(back.steps.empty());
  QVERIFY(back.state.engine == shown.snapshot->model.engine);
  QCOMPARE(worstDecibels(back.endAll), worstDecibels(first.startAll));
}

void GivenStepsTest::whatCannotRunSaysWhy() {
  Shown shown;
  RepairRequest request;
  request.steps.clear();
  request.given = {{*findRepairStep("equalize"), 0, {"no such layer"}}};
  QVERIFY_THROWS_EXCEPTION(Error, shown.repair(request));
  request.given = {{*findRepairStep("equalize"), 0, {}}, {*findRepairStep("equalize"), 0, {}}};
  request.given[1].step.samples = 1000;
  const RepairResult result = shown.repair(request);
  QVERIFY(!result.steps[1].kept);
  QVERIFY(QString::fromStdString(result.steps[1].reason).contains("insufficient data"));
}

void GivenStepsTest::theRepairedResultIsWhatWasPromised() {
  Shown shown;
  RepairRequest request;
  request.steps = {*findRepairStep("equalize"), *findRepairStep("bias-correction")};
  const RepairResult result = shown.repair(request);
  QVERIFY(reportOf(result, "equalize").kept);
  const SnapshotPtr repaired =
      repairedSnapshot(*shown.snapshot, result, shown.memory, shown.network.job);
  QVERIFY(worstDecibels(result.endAll) > worstDecibels(result.startAll) + 0.1);
  QCOMPARE(worstDecibels(repaired->result->outputs), worstDecibels(result.endAll));
  // The same layers, each measured by itself and with all before it.
  const std::vector<LayerResult>& before = shown.snapshot->result->layers;
  const std::vector<LayerResult>& after = repaired->result->layers;
  QCOMPARE(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    QCOMPARE(after[i].name, before[i].name);
    QCOMPARE(after[i].local.has_value(), before[i].local.has_value());
    QCOMPARE(after[i].accumulated.has_value(), before[i].accumulated.has_value());
  }
}

// A bias that the layer did not have is a constant that the float network does not know.
void GivenStepsTest::layersAreMeasuredAgainstTheirTwins_data() {
  QTest::addColumn<bool>("bias");
  QTest::addRow("with a bias") << true;
  QTest::addRow("without") << false;
}

// The one layer of a network: its error is that of the outputs, which are computed here.
void GivenStepsTest::layersAreMeasuredAgainstTheirTwins() {
  QFETCH(const bool, bias);
  RepairCase network(bias ? kBiasedLayer : kBareLayer, kFourBitsPerTensor);
  RepairRequest request;
  request.given = {{*findRepairStep("round"), 0, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  const RepairState& state = result.state;
  QVERIFY(state.twin != state.engine);
  RepairState twin = state;
  twin.engine = state.twin;
  const double expected = test::sqnrOf(network.outputs(twin, false), network.outputs(state, true));
  const AnalysisResult measured =
      analyzeAgainst(*state.twin, *state.engine, state.config, *state.model, *state.observations,
                     *network.data, {}, network.memory, network.job);
  for (const auto& error : {measured.layers[0].local, measured.layers[0].accumulated}) {
    const double decibels = error.value().total.sqnrDb.value();
    QVERIFY2(std::abs(decibels - expected) < 1e-4,
             qPrintable(QString("%1 and %2").arg(decibels).arg(expected)));
  }
  // Against itself it is another figure: weights that are rounded well are no longer off.
  const AnalysisResult itself =
      analyze(*state.engine, state.config, *state.model, *state.observations, *network.data, {},
              network.memory, network.job);
  QVERIFY(itself.layers[0].local.value().total.sqnrDb.value() > expected + 3);
}

// One by one, a later one before an earlier one: as if all had been tried in their order.
void GivenStepsTest::aStepIsTriedByItself() {
  Shown shown;
  const RepairResult biases = shown.decide(nullptr, {.step = "bias-correction"});
  QCOMPARE(biases.steps.size(), std::size_t{1});
  QVERIFY(reportOf(biases, "bias-correction").kept);
  const RepairResult both = shown.decide(&biases, {.step = "equalize"});
  QCOMPARE(both.steps.size(), std::size_t{2});
  QCOMPARE(both.steps[0].step, std::string("equalize"));
  QVERIFY(both.steps[0].kept && both.steps[1].kept);
  RepairRequest inOrder;
  inOrder.steps.clear();
  inOrder.given = {given(both, "equalize"), given(both, "bias-correction")};
  QVERIFY(modelAndConfig(both) == modelAndConfig(shown.repair(inOrder)));
  // What fails the test is told, and changes nothing.
  const RepairResult same = shown.decide(&both, {.step = "weight-only-scales"});
  QCOMPARE(same.steps.size(), std::size_t{3});
  QVERIFY(!reportOf(same, "weight-only-scales").kept);
  QVERIFY(modelAndConfig(same) == modelAndConfig(both));
}

void GivenStepsTest::aStepIsDroppedAndKept() {
  using What = StepDecision::What;
  Shown shown;
  const RepairResult biases = shown.decide(nullptr, {.step = "bias-correction"});
  const RepairResult both = shown.decide(&biases, {.step = "equalize"});
  const RepairResult dropped = shown.decide(&both, {.step = "equalize", .what = What::Drop});
  QVERIFY(!reportOf(dropped, "equalize").kept);
  QCOMPARE(reportOf(dropped, "equalize").reason, std::string("it was left out"));
  QVERIFY(modelAndConfig(dropped) == modelAndConfig(biases));
  const RepairResult kept = shown.decide(&dropped, {.step = "equalize", .what = What::Keep});
  QVERIFY(modelAndConfig(kept) == modelAndConfig(both));
  QVERIFY(reportOf(kept, "equalize").reason.starts_with("it was chosen"));
}

void GivenStepsTest::withoutTimeWhatWasDecidedStays() {
  Shown shown;
  const RepairResult biases = shown.decide(nullptr, {.step = "bias-correction"});
  RepairRequest none;
  none.seconds = 0;
  const RepairResult tried = shown.decide(&biases, {.step = "equalize"}, none);
  QVERIFY(!reportOf(tried, "equalize").kept);
  QVERIFY2(reportOf(tried, "equalize").reason.starts_with("the time was over"),
           reportOf(tried, "equalize").reason.c_str());
  QVERIFY(tried.outOfTime);
  QVERIFY(reportOf(tried, "bias-correction").kept);
  QVERIFY(modelAndConfig(tried) == modelAndConfig(biases));
}

void GivenStepsTest::whatTheyWinTogether() {
  Shown shown;
  RepairRequest both;
  both.steps = {*findRepairStep("equalize"), *findRepairStep("bias-correction")};
  const RepairResult expected = shown.repair(both);
  const FittingGain fitting = measureFittingGain(*shown.snapshot, {{"equalize", "bias-correction"}},
                                                 {}, {}, shown.memory, shown.network.job);
  QCOMPARE(fitting.refusal, std::string());
  QVERIFY(!fitting.outOfTime);
  QVERIFY(fitting.gain.measured);
  QCOMPARE(fitting.gain.gainDb.value(),
           worstDecibels(expected.endAll) - worstDecibels(expected.startAll));
  std::vector<std::string> kept;
  for (const StepReport& report : expected.steps) {
    if (report.kept) kept.push_back(report.step);
  }
  QVERIFY(!kept.empty());
  QCOMPARE(fitting.kept, kept);
}

void GivenStepsTest::whatCannotBeRepairedWinsNothing() {
  Shown shown;
  AnalysisRequest request = shown.snapshot->request;
  request.config.precision.edit([](PrecisionConfig& types) {
    for (TensorPrecision* each :
         {&types.defaults.weight, &types.defaults.activation, &types.defaults.output}) {
      each->type = QuantType::Float32;
    }
  });
  const SnapshotPtr floats =
      runAnalysis({request, shown.network.model, shown.network.data, shown.network.data, {}},
                  nullptr, shown.memory, shown.network.job);
  const FittingGain fitting =
      measureFittingGain(*floats, {{"equalize"}}, {}, {}, shown.memory, shown.network.job);
  QVERIFY2(fitting.refusal.find("no layer with weights") != std::string::npos,
           fitting.refusal.c_str());
  QVERIFY(fitting.kept.empty());
  QVERIFY(!fitting.gain.gainDb);
}

QUANTSCOPE_TEST(GivenStepsTest)
#include "test_given_steps.moc"
