#include <QtTest>
#include <atomic>
#include <nlohmann/json.hpp>

#include "analysis/errors/worst_output.h"
#include "export/json/repair_json.h"
#include "jobs/repair/run_training.h"
#include "jobs/sample_network.h"
#include "repair/repair_case.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "training/training_samples.h"
#include "training/training_steps.h"

using namespace quantscope;
using test::RepairCase;
using test::SampleNetwork;

namespace {

// A chain of convolutions with rectifiers between: two of them are a block.
std::string chainOf(int convolutions) {
  std::string text = "input x:float[1,3,8,8]\n";
  std::string value = "x";
  for (int i = 1; i <= convolutions; ++i) {
    const std::string n = std::to_string(i);
    const std::string channels = i == 1 ? "3" : "6";
    if (i == convolutions) {
      return text + "w" + n + ":float[4," + channels + ",1,1]\ny = Conv(" + value + ", w" + n +
             ") @conv" + n + "\noutput y";
    }
    text += "w" + n + ":float[6," + channels + ",3,3]\na" + n + " = Conv(" + value + ", w" + n +
            ") pads=[1,1,1,1] @conv" + n + "\nr" + n + " = Relu(a" + n + ") @relu" + n + "\n";
    value = "r" + n;
  }
  return text;
}

const std::string kBlocks = chainOf(4);
const std::string kThreeBlocks = chainOf(6);

constexpr const char* kFourBitWeights =
    R"({"quantscope": 1, "default": {"weight": {"type": "int4"}}, "backend": "generic",
        "bias": "float"})";
constexpr const char* kSixteenBitTypes =
    R"({"quantscope": 1, "default": {"weight": {"type": "int16"}, "activation": {"type": "int16"}},
        "backend": "generic", "bias": "float"})";

TrainingOutcome trainWith(RepairCase& network, TrainingSettings settings) {
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  settings.steps = settings.steps.value_or(20);
  settings.batch = 8;
  return train(state, layers, *network.data, {}, settings, network.job);
}

std::vector<double> lossesOf(const TrainingOutcome& outcome) {
  std::vector<double> losses;
  for (const TrainingPoint& point : outcome.report.curve) losses.push_back(point.heldBack);
  return losses;
}

}  // namespace

/// Training under a budget of memory, of networks that are good already, and that time ends.
class TrainingLimitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void budgetsChangeNothing();
  void whatIsNotKeptIsMadeAgain();
  void tooFewSamplesAreRefusedAtOnce_data();
  void tooFewSamplesAreRefusedAtOnce();
  void labelsOfOtherSamplesAreNotFitted();
  void aGoodNetworkDoesNotDiverge();
  void theStartIsKeptWhereTimeEnds();
  void stoppedInARecipeItIsJudged_data();
  void stoppedInARecipeItIsJudged();
  void aRecipeSaysWhatIsNotTrained();
  void aRecipeSaysThatItDiverged();
  void withoutAGradientItIsRefused();
  void gradientsThatAreNoNumbersEndIt();
};

void TrainingLimitsTest::budgetsChangeNothing() {
  RepairCase free(kThreeBlocks, kFourBitWeights, 24, 2);
  const TrainingOutcome expected = trainWith(free, {});
  QCOMPARE(expected.report.blocks, std::size_t{3});
  QVERIFY(lossesOf(expected).size() > 3);
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{20'000}, std::size_t{150'000}, std::size_t{1} << 30}) {
    RepairCase limited(kThreeBlocks, kFourBitWeights, 24, 2);
    limited.job.setMemoryBudget(bytes);
    const TrainingOutcome outcome = trainWith(limited, {});
    QVERIFY(lossesOf(outcome) == lossesOf(expected));
    QVERIFY(toBytes(*outcome.state) == toBytes(*expected.state));
  }
}

// What is kept of samples and variations stays within its share of the budget.
void TrainingLimitsTest::whatIsNotKeptIsMadeAgain() {
  RepairCase network(kBlocks, kFourBitWeights, 24, 2);
  const RepairState state = network.folded();
  const std::vector<ValueId> values(state.engine->graph().outputs().begin(),
                                    state.engine->graph().outputs().end());
  const TrainingSamples all(state, *network.data, {}, values, network.job);
  QCOMPARE(all.keptFeeds(), all.count());
  constexpr std::size_t kBytes = 60'000;
  network.job.setMemoryBudget(kBytes);
  const TrainingSamples some(state, *network.data, {}, values, network.job);
  QCOMPARE(some.count(), all.count());
  QVERIFY(some.content() == all.content());
  QVERIFY(some.power(0) == all.power(0));
  const std::size_t ofFeed = 4 * (3 * 8 * 8 + 3 * 4 * 8 * 8);
  QVERIFY(some.keptFeeds() > 0 && some.keptFeeds() * ofFeed <= kBytes / kSampleShare);
  QVERIFY(some.keptFeeds() < some.count());
  const std::vector<std::size_t> target{0};
  const auto same = [](const TrainingSample& a, const TrainingSample& b) {
    return identical(a.inputs.at(0).second, b.inputs.at(0).second) &&
           identical(a.targets.at(0), b.targets.at(0)) && a.number == b.number;
  };
  const CounterRandom random(3);
  const std::vector<SampleMaker> madeOnce = all.heldBackVariations(random);
  const std::vector<SampleMaker> madeAgain = some.heldBackVariations(random);
  QVERIFY(!madeOnce.empty());
  QCOMPARE(madeAgain.size(), madeOnce.size());
  network.workers.run([&] {
    for (std::size_t i = 0; i < all.count(); ++i) {
      QVERIFY(same(all.sample(i, target), some.sample(i, target)));
    }
    for (std::size_t i = 0; i < madeOnce.size(); ++i) QVERIFY(same(madeOnce[i](), madeAgain[i]()));
  });
}

void TrainingLimitsTest::tooFewSamplesAreRefusedAtOnce_data() {
  QTest::addColumn<std::size_t>("samples");
  QTest::newRow("none to hold out") << std::size_t{7};
  QTest::newRow("halves of six") << std::size_t{12};
  QTest::newRow("halves of eight and seven") << std::size_t{15};
}

// Not after training on all of them, where a half is too small to judge that.
void TrainingLimitsTest::tooFewSamplesAreRefusedAtOnce() {
  QFETCH(std::size_t, samples);
  RepairCase network(kBlocks, kFourBitWeights, samples, 2);
  const auto run = std::make_shared<TrainingRun>();
  run->settings.steps = 20;
  std::size_t points = 0;
  run->settings.onPoint = [&](const TrainingPoint& /*point*/) { ++points; };
  RepairRequest request;
  request.steps = {trainingStep(run, 2)};
  const StepReport step = network.repair(request).steps.front();
  QVERIFY(!step.kept && !run->report);
  QCOMPARE(points, std::size_t{0});
  QVERIFY2(test::contains(step.reason, "insufficient data: it needs 8 samples to fit to"),
           step.reason.c_str());
}

// They are of the data, and samples to calibrate with have others.
void TrainingLimitsTest::labelsOfOtherSamplesAreNotFitted() {
  SampleNetwork network("digits_mobilenet", 2, 40);
  const SampleNetwork others("digits_mobilenet", 2, 24);
  AnalysisMemory memory(test::kBudget);
  TrainingSettings settings;
  settings.steps = 6;
  settings.batch = 8;
  PrecisionConfig types;
  types.defaults.weight.type = QuantType::Int4;
  const auto trained = [&](std::int64_t label) {
    Labels labels;
    if (label >= 0) labels.classes.assign(40, label);
    return runTraining(network.model, {types}, *network.data, *others.data, labels, settings, 1,
                       memory, network.job);
  };
  const TrainingReport without = trained(-1).training;
  for (const std::int64_t label : {3, 5}) {
    const TrainingResult result = trained(label);
    const TrainingReport& with = result.training;
    QVERIFY(with.startLoss == without.startLoss && with.bestLoss == without.bestLoss);
    QCOMPARE(with.curve.size(), without.curve.size());
    for (std::size_t i = 0; i < with.curve.size(); ++i) {
      QVERIFY(with.curve[i].heldBack == without.curve[i].heldBack);
    }
    QCOMPARE(with.notes.size(), without.notes.size() + 1);
    QVERIFY2(test::contains(with.notes.back(), "the labels are of other samples"),
             with.notes.back().c_str());
    QCOMPARE(result.result.steps.front().notes.back(), with.notes.back());
  }
}

// Mixed and moved samples are harder than those given: that is no divergence.
void TrainingLimitsTest::aGoodNetworkDoesNotDiverge() {
  RepairCase good(kBlocks, kSixteenBitTypes, 24, 2);
  TrainingSettings settings;
  settings.varied = 1;
  const TrainingOutcome outcome = trainWith(good, settings);
  QVERIFY2(outcome.report.end != TrainingEnd::Diverged, words(outcome.report.end).c_str());
  QVERIFY(outcome.report.steps >= 20);
}

void TrainingLimitsTest::theStartIsKeptWhereTimeEnds() {
  for (const std::size_t last : {std::size_t{1}, std::size_t{7}, std::size_t{15}}) {
    RepairCase network(kBlocks, kFourBitWeights, 24, 2);
    TrainingSettings settings;
    settings.blockShare = 1;
    settings.rates.weight = 30;  // steps that spoil more than they mend
    std::size_t asked = 0;
    settings.stop = [&] { return ++asked > last; };
    const TrainingOutcome outcome = trainWith(network, settings);
    QVERIFY(outcome.report.bestLoss <= outcome.report.startLoss);
  }
}

void TrainingLimitsTest::stoppedInARecipeItIsJudged_data() {
  QTest::addColumn<bool>("byTime");
  QTest::addColumn<int>("ways");
  QTest::newRow("by somebody") << false << 1;
  QTest::newRow("by somebody, the second way") << false << 2;
  QTest::newRow("by time") << true << 1;
  QTest::newRow("by time, the first way") << true << 2;
}

// The best state so far passes the test of held-out samples like any other step.
void TrainingLimitsTest::stoppedInARecipeItIsJudged() {
  QFETCH(bool, byTime);
  QFETCH(int, ways);
  RepairCase network(kBlocks, kFourBitWeights, 32, 2);
  std::atomic<bool> stop{false};
  const auto run = std::make_shared<TrainingRun>();
  const bool toTheEnd = ways == 2 && !byTime;  // of the first way
  run->settings.steps = toTheEnd ? 200 : 100'000;
  run->settings.blockShare = toTheEnd ? 1 : 2e-3;
  run->settings.batch = 8;
  int begun = 0;
  run->settings.onPoint = [&](const TrainingPoint& point) {
    if (point.phase == "network" && point.step == 0 && ++begun == ways) stop = !byTime;
  };
  RepairRequest request;
  request.steps = {trainingStep(run, static_cast<std::size_t>(ways)), *findRepairStep("clip")};
  request.stop = [&] { return stop.load(); };
  if (byTime) request.seconds = 10;
  const RepairResult result = network.repair(request);
  QVERIFY(run->report.has_value());
  QCOMPARE(words(run->report->end), words(byTime ? TrainingEnd::OutOfTime : TrainingEnd::Stopped));
  const StepReport& step = result.steps.front();
  QCOMPARE(step.step, std::string("train"));
  QVERIFY2(step.kept, step.reason.c_str());
  QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut));
  QVERIFY(step.end.has_value());
  if (ways == 1) {
    QCOMPARE(step.end->how, words(run->report->end));
    QVERIFY(step.end->cutShort && step.end->steps < step.end->planned);
  }
  if (byTime) {
    // The time of its ways is over, which leaves some for the other step.
    QVERIFY(test::contains(repairText(result), "out of time after "));
    return;
  }
  QVERIFY(result.outOfTime && result.stopped);
  QCOMPARE(result.steps.size(), std::size_t{1});
}

// Where gradients do not come as far as some layers.
void TrainingLimitsTest::aRecipeSaysWhatIsNotTrained() {
  RepairCase network(R"(
    input x:float[1,6]
    w:float[6,5]
    v:float[5,4]
    h = MatMul(x, w) @first
    s = Sin(h) @wave
    y = MatMul(s, v) @second
    output y
  )",
                     kFourBitWeights, 32, 2);
  const auto run = std::make_shared<TrainingRun>();
  run->settings.steps = 20;
  run->settings.batch = 8;
  RepairRequest request;
  request.steps = {trainingStep(run, 2)};
  const RepairResult result = network.repair(request);
  const StepReport& step = result.steps.front();
  QCOMPARE(step.notes.size(), std::size_t{1});
  QVERIFY2(test::contains(step.notes.front(), "not available: Sin 'wave'"),
           step.notes.front().c_str());
  QVERIFY(step.end.has_value());
  QVERIFY2(!result.outOfTime && !step.end->cutShort, step.end->how.c_str());
  QVERIFY2(test::contains(repairText(result), step.notes.front()), repairText(result).c_str());
  QVERIFY2(test::contains(repairText(result), step.end->how + " after "),
           repairText(result).c_str());
  const nlohmann::ordered_json json = repairJson(result).at("steps").front();
  QCOMPARE(json.at("finished").get<std::string>(), step.end->how);
  QCOMPARE(json.at("steps_done").get<std::size_t>(), step.end->steps);
  QCOMPARE(json.at("notes").front().get<std::string>(), step.notes.front());
}

void TrainingLimitsTest::aRecipeSaysThatItDiverged() {
  RepairCase network(kBlocks, kFourBitWeights, 32, 2);
  const auto run = std::make_shared<TrainingRun>();
  run->settings.steps = 100;
  run->settings.blockShare = 0;
  run->settings.batch = 8;
  run->settings.rates.weight = 1e4;
  RepairRequest request;
  request.steps = {trainingStep(run)};
  const StepReport step = network.repair(request).steps.front();
  QVERIFY2(!step.kept, step.reason.c_str());
  QCOMPARE(step.end->how, words(TrainingEnd::Diverged));
  QVERIFY(step.end->steps < step.end->planned);
  QVERIFY2(test::contains(step.notes.front(), "training network diverged at step"),
           step.notes.front().c_str());
}

// The class of a sample is constant in steps, whatever is made of it.
void TrainingLimitsTest::withoutAGradientItIsRefused() {
  RepairCase network(R"(
    input x:float[1,6]
    w:float[6,5]
    h = MatMul(x, w) @first
    t = ArgMax(h) axis=1 keepdims=0 @top
    y = Cast(t) to=1 @cast
    output y
  )",
                     R"({"quantscope": 1})", 24, 2);
  const std::string error = test::errorText([&] { trainWith(network, {}); });
  QVERIFY2(test::contains(error, "no layer can be trained: no output of real numbers depends"),
           error.c_str());
}

// The square of the divisor is too small for a float, so the quotient has an infinite slope.
void TrainingLimitsTest::gradientsThatAreNoNumbersEndIt() {
  RepairCase network(R"(
    input x:float[1,6]
    w:float[6,5]
    tiny:float[]{1e-25}
    h = MatMul(x, w) @first
    s = Mul(h, h) @square
    a = Mul(s, tiny) @small
    b = Add(a, tiny) @divisor
    r = Div(tiny, b) @ratio
    y = Add(h, r) @sum
    output y
  )",
                     R"({"quantscope": 1, "backend": "generic",
                         "nodes": {"small": "fp32", "divisor": "fp32", "ratio": "fp32"}})",
                     24, 2);
  const TrainingOutcome outcome = trainWith(network, {});
  QCOMPARE(words(outcome.report.end), words(TrainingEnd::Diverged));
  QVERIFY(outcome.overlay.empty());
  QCOMPARE(outcome.report.notes.size(), std::size_t{1});
  QVERIFY2(test::contains(outcome.report.notes.front(),
                          "met a gradient that is no number, of 'first', at step 0"),
           outcome.report.notes.front().c_str());
}

QUANTSCOPE_TEST(TrainingLimitsTest)
#include "test_training_limits.moc"
