#include <QtTest>
#include <cmath>

#include "engine/execution.h"
#include "repair/repair_case.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"
#include "training/training_network.h"

using namespace quantscope;
using test::RepairCase;

namespace {

// A residual network with a normalization, whose blocks are conv1 with conv2, and the rest.
constexpr const char* kResidual = R"(
  input x:float[1,3,8,8]
  w1:float[8,3,3,3]
  w2:float[8,8,3,3]
  w3:float[8,8,3,3]
  w4:float[5,8,1,1]
  g:float[8]{1, 0.5, 2, 1, 4, 0.1, 1, 1}
  b:float[8]
  m:float[8]
  v:float[8]{1, 2, 0.5, 1, 1, 3, 1, 1}
  a = Conv(x, w1) pads=[1,1,1,1] @conv1
  n = BatchNormalization(a, g, b, m, v) @norm
  r = Relu(n) @relu1
  c = Conv(r, w2) pads=[1,1,1,1] @conv2
  s = Relu(c) @relu2
  d = Conv(s, w3) pads=[1,1,1,1] @conv3
  e = Add(d, s) @add
  f = Relu(e) @relu3
  h = GlobalAveragePool(f) @pool
  y = Conv(h, w4) @conv4
  output y
)";

constexpr const char* kPlain = R"({"quantscope": 1})";
constexpr const char* kFourBits =
    R"({"quantscope": 1, "default": {"weight": {"type": "int4"}, "activation": {"type": "uint4"}}})";
constexpr const char* kShared = R"({"quantscope": 1, "backend": "qnnpack"})";
constexpr const char* kGeneric =
    R"({"quantscope": 1, "backend": "generic", "bias": "float",
        "default": {"weight": {"type": "int4", "granularity": "per-tensor"}}})";
constexpr const char* kDynamic =
    R"({"quantscope": 1, "backend": "generic", "bias": "float",
        "default": {"activation": {"mode": "dynamic"}}})";
constexpr const char* kHalf =
    R"({"quantscope": 1, "backend": "generic",
        "default": {"weight": {"type": "fp8e4m3"}, "activation": {"type": "fp8e4m3"}}})";
constexpr const char* kEqualized =
    R"({"quantscope": 1, "backend": "generic", "bias": "float",
        "repairs": {"equalize": {"conv3": [1, 2, 0.5, 1, 4, 1, 0.25, 1]}}})";

LearnedParameters::Settings settings() {
  return {};
}

std::vector<std::pair<ValueId, Tensor>> inputsOf(const Feed& feed, const TrainingGraph& graph,
                                                 const LearnedParameters& parameters) {
  std::vector<std::pair<ValueId, Tensor>> inputs = feed.inputs;
  for (auto& each : parameters.inputsOf(graph, nullptr)) inputs.push_back(each);
  return inputs;
}

}  // namespace

/// The graph that is trained computes what the quantized network does, and its gradients are right.
class TrainingGraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sameBits_data();
  void sameBits();
  void blocksMakeTheNetwork();
  void inputsAreNotLearned();
  void gradientsByDifferences();
  void sameForAnyThreads();
  void overlayGivesTheSameBits();
};

void TrainingGraphTest::sameBits_data() {
  QTest::addColumn<QByteArray>("config");
  QTest::newRow("x86") << QByteArray(kPlain);
  QTest::newRow("four bits") << QByteArray(kFourBits);
  QTest::newRow("per tensor") << QByteArray(kGeneric);
  QTest::newRow("dynamic") << QByteArray(kDynamic);
  QTest::newRow("FP8") << QByteArray(kHalf);
  QTest::newRow("equalized") << QByteArray(kEqualized);
}

void TrainingGraphTest::sameBits() {
  QFETCH(QByteArray, config);
  RepairCase network(kResidual, config.toStdString());
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  QCOMPARE(layers.layers.size(), std::size_t{4});
  const LearnedParameters parameters(state, layers, settings());
  const TrainingGraph graph = makeTrainingGraph(state, layers, nullptr, {}, network.workers);
  QVERIFY(graph.engine->notExecutable().empty());
  const Plan plan = planForOutputs(*graph.engine);
  const std::vector<Tensor> expected = network.outputs(state, true);
  network.workers.run([&] {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      Execution execution(plan, inputsOf(network.data->read(i), graph, parameters));
      execution.run();
      QVERIFY(identical(execution.value(graph.engine->graph().outputs()[0]), expected[i]));
    }
  });
}

void TrainingGraphTest::blocksMakeTheNetwork() {
  RepairCase network(kResidual, kShared);
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  const std::vector<NetworkBlock> blocks = findBlocks(*state.engine, *state.model, layers);
  QCOMPARE(blocks.size(), std::size_t{2});
  QCOMPARE(blocks[0].layers.size(), std::size_t{2});
  const Graph& graph = state.engine->graph();
  QCOMPARE(graph[blocks[0].outputs.at(0)].name, std::string("s"));
  QVERIFY(blocks[1].input == blocks[0].outputs.at(0));
  const LearnedParameters parameters(state, layers, settings());
  std::vector<TrainingSample> samples(network.data->feedCount());
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].inputs = network.data->read(i).inputs;
  for (const NetworkBlock& block : blocks) {
    const TrainingNetwork part(state, layers, &block, {}, {{block.outputs.at(0)}}, parameters,
                               network.workers);
    std::vector<SampleMaker> all;
    for (const TrainingSample& sample : samples) all.emplace_back([&sample] { return sample; });
    const std::vector<Tensor> values = part.values(block.outputs.at(0), all, network.job);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].inputs = {{block.outputs.at(0), values[i]}};
    }
  }
  // Biases on their integer grid are what training leaves to the end.
  const std::vector<Tensor> expected = network.outputs(state, true);
  std::vector<Tensor> actual;
  for (const TrainingSample& sample : samples) actual.push_back(sample.inputs.front().second);
  QVERIFY2(test::sqnrOf(expected, actual) > 40,
           qPrintable(QString::number(test::sqnrOf(expected, actual))));
}

void TrainingGraphTest::inputsAreNotLearned() {
  RepairCase network(kResidual, kFourBits);
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  const LearnedParameters parameters(state, layers, settings());
  const TrainingGraph graph = makeTrainingGraph(state, layers, nullptr, {}, network.workers);
  const Graph& source = state.engine->graph();
  std::size_t ofInputs = 0;
  for (const TrainingGraph::Range& range : graph.ranges) {
    const ObserverGroups& groups = state.model->groups;
    const ValueId value = groups.points[groups.members[range.group].front()].value;
    if (source[value].producer.valid()) {
      QVERIFY(parameters.isFree(graph, range.scale));
    } else {
      QVERIFY(!parameters.isFree(graph, range.scale));
      ++ofInputs;
    }
  }
  QCOMPARE(ofInputs, std::size_t{1});
}

// With nothing rounded the loss is smooth, so that differences say what gradients have to be.
void TrainingGraphTest::gradientsByDifferences() {
  RepairCase network(kResidual, kGeneric, 8);
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  TrainingGraphOptions options;
  for (const LayerQuantization& layer : state.model->layers) {
    options.unquantized.insert(state.engine->graph()[layer.layer.lead()].name);
  }
  LearnedParameters::Settings with;
  with.unquantized = options.unquantized;
  LearnedParameters parameters(state, layers, with);
  const ValueId output = state.engine->graph().outputs()[0];
  LossTerms terms;
  terms.value = output;
  terms.squares = 0.7;
  terms.power = 2.5;
  terms.divergence = 0.6;
  terms.temperature = 2;
  terms.labels = 0.3;
  const TrainingNetwork net(state, layers, nullptr, options, {terms}, parameters, network.workers);
  std::vector<TrainingSample> samples(8);
  std::vector<SampleMaker> all;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].inputs = network.data->read(i).inputs;
    samples[i].targets = {test::randomSamples(Shape{1, 5, 1, 1}, 1, 50 + unsigned(i)).front()};
    samples[i].labels = {std::int64_t(i % 5)};
    all.emplace_back([&sample = samples[i]] { return sample; });
  }
  const BatchGradients batch = net.backward(all, nullptr, network.job);
  QVERIFY(std::abs(batch.loss - net.loss(all, network.job)) < 1e-9 * batch.loss);
  // Along the gradient of each array, by the central difference.
  const LearnedParameters::Values start = parameters.values();
  std::size_t checked = 0;
  for (std::size_t array = 0; array < start.size(); ++array) {
    const std::vector<double>& gradient = batch.gradients[array];
    if (gradient.empty()) continue;
    ++checked;
    double squares = 0;
    for (const double each : gradient) squares += each * each;
    const double length = std::sqrt(squares);
    const double step = 1e-3;
    LearnedParameters::Values moved = start;
    const auto lossAt = [&](double distance) {
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        moved[array][i] = static_cast<float>(start[array][i] + distance * gradient[i] / length);
      }
      parameters.setValues(moved);
      return net.loss(all, network.job);
    };
    const double found = (lossAt(step) - lossAt(-step)) / (2 * step);
    parameters.setValues(start);
    QVERIFY2(std::abs(found - length) <= 5e-3 * length,
             qPrintable(QString("array %1: %2, not %3").arg(array).arg(length).arg(found)));
  }
  QCOMPARE(checked, std::size_t{8});
}

void TrainingGraphTest::sameForAnyThreads() {
  std::vector<BatchGradients> results;
  for (const int threads : {1, 8}) {
    RepairCase network(kResidual, kFourBits, 20, threads);
    const RepairState state = network.folded();
    const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
    const LearnedParameters parameters(state, layers, settings());
    TrainingGraphOptions options;
    options.stochastic = true;
    LossTerms terms;
    terms.value = state.engine->graph().outputs()[0];
    terms.squares = 1;
    const TrainingNetwork net(state, layers, nullptr, options, {terms}, parameters,
                              network.workers);
    std::vector<TrainingSample> samples(20);
    std::vector<SampleMaker> all;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].inputs = network.data->read(i).inputs;
      samples[i].targets = {test::randomSamples(Shape{1, 5, 1, 1}, 1, unsigned(i)).front()};
      samples[i].number = i;
      all.emplace_back([&sample = samples[i]] { return sample; });
    }
    const StepNoise noise{7, 1};
    results.push_back(net.backward(all, &noise, network.job));
    const StepNoise other{8, 1};
    QVERIFY(net.backward(all, &other, network.job).gradients != results.back().gradients);
  }
  QVERIFY(results[0].loss == results[1].loss);
  QVERIFY(results[0].gradients == results[1].gradients);
}

// What training has measured is what the configuration that it writes gives.
void TrainingGraphTest::overlayGivesTheSameBits() {
  RepairCase network(kResidual, kGeneric);
  const RepairState state = network.folded();
  const LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  for (const ScaleForm form : {ScaleForm::Log, ScaleForm::Lsq, ScaleForm::Tqt}) {
    LearnedParameters::Settings with;
    with.scales = form;
    LearnedParameters parameters(state, layers, with);
    std::mt19937 generator(5);
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> gradients;
    for (const LearnedArray& array : parameters.arrays()) {
      auto& gradient = gradients.emplace_back(array.values.size());
      for (double& each : gradient) each = normal(generator);
    }
    for (std::size_t step = 1; step < 20; ++step) parameters.step(gradients, step, 1, true);
    const TrainingGraph graph = makeTrainingGraph(state, layers, nullptr, {}, network.workers);
    RepairTools tools = network.tools();
    const RepairState trained =
        withOverlay(state, parameters.overlay(), OverlayEffect::Fitted, tools);
    const std::vector<Tensor> expected = network.outputs(trained, true);
    const Plan plan = planForOutputs(*graph.engine);
    network.workers.run([&] {
      Execution execution(plan, inputsOf(network.data->read(3), graph, parameters));
      execution.run();
      QVERIFY(identical(execution.value(graph.engine->graph().outputs()[0]), expected[3]));
    });
    QVERIFY(!identical(expected[3], network.outputs(state, true)[3]));
  }
}

QUANTSCOPE_TEST(TrainingGraphTest)
#include "test_training_graph.moc"
