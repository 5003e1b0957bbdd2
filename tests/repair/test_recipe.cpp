#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/json/repair_json.h"
#include "jobs/repair/run_repair.h"
#include "jobs/sample_network.h"
#include "onnx/writing/write_model.h"
#include "repair/repair_case.h"
#include "repair/rounding/layer_pass.h"
#include "repair/scales/fold_normalizations.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "training/training_steps.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kNormalizedNetwork = R"(
  input x:float[1,3,8,8]
  w:float[6,3,3,3]
  scale:float[6]{1, 0.5, 2, 1, 4, 0.1}
  shift:float[6]{0, 1, -1, 0.5, 0, 0}
  mean:float[6]{0.1, 0, 0, -0.2, 0, 0}
  var:float[6]{1, 2, 0.5, 1, 1, 3}
  a = Conv(x, w) pads=[1,1,1,1] @conv
  b = BatchNormalization(a, scale, shift, mean, var) @norm
  c = Relu(b) @relu
  v:float[4,6,1,1]
  y = Conv(c, v) @last
  output y
)";

bool sameBits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, identical);
}

// A repair that doubles a weight.
RepairProposal proposeHarm(const RepairState& state, const LinearLayers& layers, RepairTools&,
                           std::size_t) {
  const LinearLayer& layer = layers.layers.front();
  const Tensor before = weightOf(*state.engine, layer);
  Tensor weight(ElementType::Float32, before.shape());
  for (std::size_t i = 0; i < weight.elementCount(); ++i) {
    weight.mutableValues<float>()[i] = 2 * before.values<float>()[i];
  }
  RepairProposal harm;
  harm.overlay.constants.push_back({layer.lead, layer.weightSlot, weight, "weight"});
  harm.nodes = 1;
  return harm;
}

RepairResult repairSample(const char* name, int threads, std::size_t samples,
                          const RepairRequest& request = {}) {
  SampleNetwork network(name, threads, samples);
  AnalysisMemory memory(std::size_t{128} << 20);
  PrecisionConfig types;
  types.defaults.weight.granularity = {Granularity::Kind::PerTensor, {}, 0};
  return runRepair(network.model, {types}, *network.data, *network.data, {}, request, memory,
                   network.job);
}

std::string bytesOf(const RepairResult& result) {
  return modelBytes({result.state.engine->graph(), {}}) + toJson(result.state.config);
}

}  // namespace

/// The recipe: what stays, what goes, and what is told of it.
class RecipeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void neutralVarianceIsExact();
  void foldingChangesNothing();
  void harmIsRolledBack();
  void failingStepsAreTold();
  void whatDoesNotFitIntoMemoryIsTold();
  void memoryChangesNothing();
  void stepsThatChangeNothingSayWhy();
  void onlyTheNamedLayers();
  void namesOfNoLayer_data();
  void namesOfNoLayer();
  void improvesTheSample();
  void sameForAnyThreads();
  void fewSamples();
  void halvesAreHeldOutInTurns();
  void timeIsUp();
  void sharedWeightsAlone();
  void codesAreFrozen();
  void sharedWeightsLeaveTheRanges();
  void stoppedItKeepsWhatWasWon();
  void integersJudgeNothing();
  void fittedBiasesAreTold();
  void gainsAddUp();
  void writesWhatItMeasured();
};

void RecipeTest::neutralVarianceIsExact() {
  for (const float epsilon : {0.0F, 1e-12F, 1e-7F, 1e-5F, 1e-3F, 1.01e-5F, 0.1F, 0.5F}) {
    const float variance = neutralVariance(epsilon);
    QVERIFY2(variance + epsilon == 1.0F, qPrintable(QString::number(epsilon)));
  }
}

// Folded or not, the quantized model has the same bits; the float one differs by rounding.
void RecipeTest::foldingChangesNothing() {
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor);
  const RepairState folded = network.folded();
  QVERIFY(sameBits(network.outputs(network.state, true), network.outputs(folded, true)));
  const double agreement =
      test::sqnrOf(network.outputs(network.state, false), network.outputs(folded, false));
  QVERIFY2(agreement > 120, qPrintable(QString::number(agreement)));
  const Graph& graph = folded.engine->graph();
  QVERIFY(graph.findNode("norm").valid());
  QVERIFY(graph.findValue("conv.bias").valid());
  QVERIFY(graph.findValue("last.bias").valid());
}

void RecipeTest::harmIsRolledBack() {
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor);
  RepairRequest request;
  request.steps = {{"harm", "", 0, proposeHarm}};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), std::size_t{1});
  QVERIFY(!result.steps[0].kept);
  QVERIFY(result.steps[0].gainHeldOutDb.value() < -1);
  QVERIFY(result.state.engine == network.state.engine);
  QVERIFY(sameBits(network.outputs(network.state, true), network.outputs(result.state, true)));
}

void RecipeTest::failingStepsAreTold() {
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor);
  RepairRequest request;
  const auto fail = [](const RepairState&, const LinearLayers&, RepairTools&,
                       std::size_t) -> RepairProposal {
    throw Error(ErrorCode::InvalidData, "it went wrong");
  };
  request.steps = {{"failing", "", 0, fail}, *findRepairStep("bias-correction")};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), std::size_t{2});
  QCOMPARE(result.steps[0].reason, std::string("it went wrong"));
  QVERIFY(result.steps[1].gainHeldOutDb.has_value());
}

void RecipeTest::whatDoesNotFitIntoMemoryIsTold() {
  const auto fail = [](const RepairState&, const LinearLayers&, RepairTools&,
                       std::size_t) -> RepairProposal { throw std::bad_alloc(); };
  RepairRequest request;
  request.steps = {*findRepairStep("equalize"), {"large", "", 0, fail, 2}};
  const RepairResult result = repairSample("digits_mobilenet", 2, 16, request);
  QVERIFY(result.steps[0].kept);
  QCOMPARE(result.steps[1].reason, std::string("there was not enough memory for it"));
  QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut));
}

void RecipeTest::memoryChangesNothing() {
  RepairRequest request;
  request.steps = {*findRepairStep("smooth"), *findRepairStep("clip"), *findRepairStep("round")};
  std::string unlimited;
  struct Row {
    std::size_t budget;
    std::size_t kept;
  };
  // 8 bytes for each byte of [6, 8, 8]: 12,288.
  for (const Row& row : {Row{0, 32}, Row{1, 0}, Row{100'000, 8}}) {
    RepairCase network(kNormalizedNetwork, kFourBitsPerTensor, 32);
    network.job.setMemoryBudget(row.budget);
    RepairTools tools = network.tools();
    const LayerPass pass(network.state, network.layers().layers, tools);
    QCOMPARE(pass.feedCount(), std::size_t{32});
    QCOMPARE(pass.keptCount(), row.kept);
    const RepairResult result = network.repair(request);
    QVERIFY(std::ranges::any_of(result.steps, &StepReport::kept));
    if (row.budget == 0) unlimited = bytesOf(result);
    QVERIFY(bytesOf(result) == unlimited);
  }
}

void RecipeTest::stepsThatChangeNothingSayWhy() {
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor);
  RepairRequest request;
  const auto nothing = [](const RepairState&, const LinearLayers&, RepairTools&, std::size_t) {
    return RepairProposal();
  };
  request.steps = {{"nothing", "", 0, nothing}};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), std::size_t{1});
  QVERIFY(!result.steps[0].kept);
  QVERIFY(!result.steps[0].reason.empty());
}

void RecipeTest::onlyTheNamedLayers() {
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor, 32);
  RepairRequest request;
  request.only = {"last"};
  request.steps = {*findRepairStep("ranges"), *findRepairStep("round")};
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), std::size_t{2});
  QVERIFY(test::contains(result.steps[0].reason, "all of the model"));
  QVERIFY2(result.steps[1].kept, result.steps[1].reason.c_str());
  QCOMPARE(result.steps[1].nodes, std::size_t{1});
  const RepairState folded = network.folded();
  const LinearLayers before = findLinearLayers(*folded.engine, *folded.model);
  const LinearLayers after = findLinearLayers(*result.state.engine, *result.state.model);
  QCOMPARE(after.layers.size(), std::size_t{2});
  for (std::size_t i = 0; i < after.layers.size(); ++i) {
    const bool same = identical(weightOf(*folded.engine, before.layers[i]),
                                weightOf(*result.state.engine, after.layers[i]));
    const bool named = result.state.engine->graph()[after.layers[i].lead].name == "last";
    QCOMPARE(same, !named);
  }
}

void RecipeTest::namesOfNoLayer_data() {
  QTest::addColumn<std::string>("name");
  QTest::newRow("nothing") << std::string("nowhere");
  QTest::newRow("inside a pattern") << std::string("norm");
}

void RecipeTest::namesOfNoLayer() {
  QFETCH(const std::string, name);
  RepairCase network(kNormalizedNetwork, kFourBitsPerTensor);
  RepairRequest request;
  request.only = {"last", name};
  const std::string error = errorText([&] { network.repair(request); });
  QVERIFY2(test::contains(error, name) && test::contains(error, "first node of a quantized"),
           error.c_str());
}

void RecipeTest::improvesTheSample() {
  const RepairResult result = repairSample("digits_mobilenet", 2, 64);
  QCOMPARE(result.fitSamples, std::size_t{48});
  QCOMPARE(result.heldOutSamples, std::size_t{16});
  const double gain = worstDecibels(result.end.heldOut) - worstDecibels(result.start.heldOut);
  QVERIFY2(gain > 1, qPrintable(QString::number(gain)));
  QVERIFY(std::ranges::any_of(result.steps, &StepReport::kept));
}

void RecipeTest::sameForAnyThreads() {
  const std::string one = bytesOf(repairSample("digits_mobilenet", 1, 16));
  QVERIFY(bytesOf(repairSample("digits_mobilenet", 8, 16)) == one);
}

void RecipeTest::fewSamples() {
  const RepairResult result = repairSample("digits_mobilenet", 2, 6);
  QCOMPARE(result.fitSamples, std::size_t{0});
  QCOMPARE(result.heldOutSamples, std::size_t{6});
  for (const StepReport& step : result.steps) {
    if (step.step != "bias-correction") continue;
    QVERIFY(!step.kept);
    QVERIFY2(test::contains(step.reason, "insufficient data: it needs 4 samples"),
             step.reason.c_str());
  }
}

// Every sample is held out once, and what stays is fitted to all.
void RecipeTest::halvesAreHeldOutInTurns() {
  RepairRequest request;
  request.steps = {*findRepairStep("ranges"), *findRepairStep("round")};
  const RepairResult result = repairSample("digits_mobilenet", 2, 12, request);
  QCOMPARE(result.folds, std::size_t{2});
  QCOMPARE(result.fitSamples, std::size_t{12});
  QCOMPARE(result.heldOutSamples, std::size_t{12});
  QVERIFY(std::ranges::any_of(result.steps, &StepReport::kept));
  QCOMPARE(result.start.heldOut[0].sampleSqnrDb.size(), std::size_t{12});
  QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut));
  const std::string one = bytesOf(repairSample("digits_mobilenet", 1, 12, request));
  QVERIFY(bytesOf(result) == one);
}

void RecipeTest::timeIsUp() {
  RepairRequest request;
  request.seconds = 1e-6;
  const RepairResult result = repairSample("digits_mobilenet", 2, 16, request);
  QVERIFY(result.outOfTime);
  QVERIFY(worstDecibels(result.end.heldOut) >= worstDecibels(result.start.heldOut));
  QVERIFY(test::contains(repairText(result), "is over"));
}

void RecipeTest::sharedWeightsLeaveTheRanges() {
  RepairCase network(R"(
    input x:float[1,6]
    w:float[6,6]
    h = MatMul(x, w) @first
    t = Tanh(h) @bend
    y = MatMul(t, w) @second
    output y
  )",
                     kPerTensor, 40);
  const char* const why =
      "no layer's weights can be changed, such as those of 'first': it shares its weight with "
      "another layer";
  auto training = std::make_shared<TrainingRun>();
  training->settings.steps = 20;
  RepairRequest request;
  request.steps = allRecipeSteps(training);
  const RepairResult result = network.repair(request);
  QCOMPARE(result.steps.size(), request.steps.size());
  for (const StepReport& step : result.steps) {
    const auto known = std::ranges::find(request.steps, step.step, &RepairStep::name);
    const bool refused = test::contains(step.reason, why);
    // Those that change shared weights or biases run as well.
    const bool runs = known->wholeModel || known->takesShared;
    QVERIFY2(refused != runs, (step.step + ": " + step.reason).c_str());
  }
  // Nothing of what is asked for can be done.
  request.steps = {*findRepairStep("equalize"), *findRepairStep("clip")};
  const std::string error = errorText([&] { network.repair(request); });
  QVERIFY2(test::contains(error, why), error.c_str());
}

// Where only weights are rounded there are no ranges, but what is shared can be rounded.
void RecipeTest::sharedWeightsAlone() {
  RepairCase network(R"(
    input x:float[1,6,6,6]
    w:float[6,6,3,3]
    a = Conv(x, w) pads=[1,1,1,1] @first
    r = Relu(a)
    y = Conv(r, w) pads=[1,1,1,1] @second
    output y
  )",
                     R"({"quantscope": 1, "backend": "generic", "default": {
                         "weight": {"type": "int4"}, "activation": {"type": "fp32"}}})",
                     40);
  RepairRequest request;
  request.steps = {*findRepairStep("round"), *findRepairStep("clip")};
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QVERIFY(result.refused.empty());
  request.only = {"first"};
  request.steps = {*findRepairStep("round"), *findRepairStep("clip")};
  const RepairResult one = network.repair(request);
  QVERIFY2(test::contains(one.steps[1].reason, "no layer's weights can be changed"),
           one.steps[1].reason.c_str());
}

void RecipeTest::codesAreFrozen() {
  constexpr const char* kCodes = R"(
    input x:float[1,3,4,4]
    c:int8[2,3,1,1]{1, 2, 3, -4, 5, 6}
    s:float[]{0.25}
    w = DequantizeLinear(c, s)
    y = Conv(x, w) @conv
    output y
  )";
  RepairCase network(kCodes, R"({"quantscope": 1})");
  const std::string error = errorText([&] { network.repair(); });
  QVERIFY2(test::contains(error, "stored as codes, which are frozen"), error.c_str());
}

void RecipeTest::stoppedItKeepsWhatWasWon() {
  RepairRequest request;
  request.stop = [] { return true; };
  const RepairResult result = repairSample("digits_mobilenet", 2, 16, request);
  QVERIFY(result.outOfTime && result.stopped);
  QVERIFY(worstDecibels(result.end.heldOut) >= worstDecibels(result.start.heldOut));
  QVERIFY(test::contains(repairText(result), "stopped"));
}

void RecipeTest::integersJudgeNothing() {
  RepairCase network(R"(
    input x:float[1,6]
    w:float[6,5]
    h = MatMul(x, w) @first
    y = ArgMax(h) axis=1 keepdims=0 @top
    output y
  )",
                     R"({"quantscope": 1})");
  const std::string error = errorText([&] { network.repair(); });
  QVERIFY2(test::contains(error, "gives a figure to judge repairs by"), error.c_str());
}

// Rounding shifts means, which biases take back.
void RecipeTest::fittedBiasesAreTold() {
  RepairRequest request;
  std::erase_if(request.steps, [](const RepairStep& step) {
    return std::string_view(step.name) != "clip" && std::string_view(step.name) != "ranges";
  });
  SampleNetwork network("digits_mobilenet", 2, 32);
  AnalysisMemory memory(kBudget);
  const Configuration config = parseConfiguration(kFourBitsPerTensor, "test");
  const RepairResult result = runRepair(network.model, config, *network.data, *network.data, {},
                                        request, memory, network.job);
  QVERIFY(std::ranges::any_of(result.steps, &StepReport::fittedBiases));
  QVERIFY(test::contains(repairText(result), "biases fitted"));
  QVERIFY(test::contains(repairJson(result).dump(), "\"fitted_biases\":true"));
}

// The rows tell the way from the start to the end, with what fitted biases gain.
void RecipeTest::gainsAddUp() {
  RepairRequest request;
  std::erase_if(request.steps, [](const RepairStep& step) {
    const std::string_view name = step.name;
    return name != "equalize" && name != "clip" && name != "bias-correction";
  });
  SampleNetwork network("digits_mobilenet", 2, 32);
  AnalysisMemory memory(kBudget);
  const Configuration config = parseConfiguration(kFourBitsPerTensor, "test");
  const RepairResult result = runRepair(network.model, config, *network.data, *network.data, {},
                                        request, memory, network.job);
  double sum = 0;
  for (const StepReport& step : result.steps) {
    if (step.kept) sum += step.gainHeldOutDb.value();
  }
  const double gain = worstDecibels(result.end.heldOut) - worstDecibels(result.start.heldOut);
  QVERIFY2(std::abs(sum - gain) < 1e-9, qPrintable(QString("%1 and %2").arg(sum).arg(gain)));
  QVERIFY(gain > 1);
}

// What is written is a model and a configuration that give the end's outputs again.
void RecipeTest::writesWhatItMeasured() {
  SampleNetwork network("digits_mobilenet", 2, 16);
  const RepairResult result = repairSample("digits_mobilenet", 2, 16);
  QTemporaryDir folder;
  const std::filesystem::path out = folder.path().toStdString();
  writeRepair(result, out, network.job);
  const LoadedModel model = loadModel(out / "model.onnx", network.job);
  const Configuration config = readConfiguration(out / "config.json");
  AnalysisMemory memory(std::size_t{128} << 20);
  RepairRequest nothing;
  nothing.steps = {};
  const RepairResult again =
      runRepair(model, config, *network.data, *network.data, {}, nothing, memory, network.job);
  const auto outputsOf = [&](const RepairState& state) {
    const Plan plan = planForOutputs(*state.engine);
    const Feed feed = network.data->read(3);
    Execution execution(plan, feed.inputs, &state.model->applied);
    network.workers.run([&] { execution.run(); });
    return execution.value(state.engine->graph().outputs()[0]);
  };
  QVERIFY(identical(outputsOf(result.state), outputsOf(again.state)));
}

QUANTSCOPE_TEST(RecipeTest)
#include "test_recipe.moc"
