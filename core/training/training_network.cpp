#include "training/training_network.h"

#include <algorithm>

#include "base/counter_random.h"
#include "engine/evaluation/evaluation.h"
#include "engine/execution.h"
#include "engine/gradients/summing_listener.h"

namespace quantscope {
namespace {

using Bound = std::vector<std::pair<ValueId, Tensor>>;

// Samples of a batch are dealt out to so many sums, whatever the number of threads.
constexpr std::size_t kLanes = 8;
// Tells the noise of weights from that of activations.
constexpr std::uint64_t kWeights = ~std::uint64_t{0};

const TrainingGraph& nearestOf(const TrainingGraph& graph, const TrainingGraph* nearest) {
  return nearest == nullptr ? graph : *nearest;
}

std::vector<ValueId> valuesOf(const std::vector<LossTerms>& terms) {
  std::vector<ValueId> values;
  for (const LossTerms& each : terms) values.push_back(each.value);
  return values;
}

std::size_t samplesIn(std::span<const TrainingSample* const> feeds) {
  std::size_t count = 0;
  for (const TrainingSample* feed : feeds) count += feed->extent.samples;
  return std::max<std::size_t>(1, count);
}

}  // namespace

/// Takes the losses of one feed, and adds its cotangents to a lane's.
class TrainingNetwork::Listener final : public SummingListener {
 public:
  Listener(const std::vector<LossTerms>& terms, const TrainingSample& sample, CotangentSums& sums)
      : SummingListener(sums), m_terms(terms), m_sample(sample) {}

  double loss() const { return m_loss; }

  std::vector<std::vector<Tensor>> begin(const Values& values) override {
    std::vector<std::vector<Tensor>> seeds(1);
    for (std::size_t i = 0; i < m_terms.size(); ++i) {
      const Tensor actual = tensorOf(values.find(m_terms[i].value), Layout::Plain);
      Tensor seed = Tensor::zeros(ElementType::Float32, actual.shape());
      m_loss += distillationLoss(m_terms[i], actual, m_sample.targets[i], m_sample.extent,
                                 m_sample.labels, &seed);
      seeds.front().push_back(std::move(seed));
    }
    return seeds;
  }

 private:
  const std::vector<LossTerms>& m_terms;
  const TrainingSample& m_sample;
  double m_loss = 0;
};

TrainingNetwork::TrainingNetwork(const RepairState& state, const LinearLayers& layers,
                                 const NetworkBlock* block, const TrainingGraphOptions& options,
                                 std::vector<LossTerms> terms, const LearnedParameters& parameters,
                                 const Workers& workers)
    : m_parameters(parameters),
      m_terms(std::move(terms)),
      m_graph(makeTrainingGraph(state, layers, block, options, workers)) {
  if (options.stochastic) {
    TrainingGraphOptions nearest = options;
    nearest.stochastic = false;
    m_nearest =
        std::make_unique<TrainingGraph>(makeTrainingGraph(state, layers, block, nearest, workers));
  }
  const Engine& forward = *nearestOf(m_graph, m_nearest.get()).engine;
  PlanRequest request;
  request.given.assign(forward.graph().inputs().begin(), forward.graph().inputs().end());
  request.wanted = valuesOf(m_terms);
  request.kept = request.wanted;
  m_forward = std::make_unique<Plan>(forward, request);
  const std::vector<ReverseSource> free = sources();
  for (const ReverseSource& source : free) m_sources.push_back(source.value);
  m_pass = std::make_unique<ReversePass>(*m_graph.engine, valuesOf(m_terms), free);
  for (const ReverseSource& source : free) {
    const std::string& whyNot = m_pass->whyNot(source.value);
    if (m_pass->flows(source.value)) m_trains = true;
    if (m_whyNot.empty()) m_whyNot = whyNot;
  }
}

std::vector<ReverseSource> TrainingNetwork::sources() const {
  std::vector<ReverseSource> sources;
  const auto add = [&](ValueId input) {
    if (input.valid() && m_parameters.isFree(m_graph, input)) sources.push_back({input, {}});
  };
  for (const TrainingGraph::Layer& layer : m_graph.layers) {
    add(layer.weight);
    add(layer.bias);
  }
  for (const TrainingGraph::Range& range : m_graph.ranges) {
    add(range.scale);
    add(range.zeroPoint);
  }
  return sources;
}

RoundingNoise TrainingNetwork::weightNoise(const StepNoise& noise) const {
  return RoundingNoise(noise.key, kWeights, noise.temperature);
}

BatchGradients TrainingNetwork::backward(std::span<const TrainingSample* const> batch,
                                         const StepNoise* noise, JobContext& job) const {
  std::optional<RoundingNoise> weights;
  if (noise != nullptr) weights = weightNoise(*noise);
  const RoundingNoise* const ofWeights = weights ? &*weights : nullptr;
  const Bound parameters = m_parameters.inputsOf(m_graph, ofWeights);
  const std::size_t lanes = std::min(kLanes, batch.size());
  std::vector<CotangentSums> sums(lanes, zeroSums(m_sources));
  std::vector<double> losses(batch.size());
  job.workers().forEach(lanes, [&](std::size_t lane) {
    for (std::size_t i = lane; i < batch.size(); i += lanes) {
      Bound inputs = batch[i]->inputs;
      inputs.insert(inputs.end(), parameters.begin(), parameters.end());
      if (noise != nullptr) {
        const std::uint64_t key = CounterRandom(noise->key).with(batch[i]->number).key();
        inputs.emplace_back(m_graph.noise,
                            Tensor::of<std::int64_t>(Shape{1}, {static_cast<std::int64_t>(key)}));
      }
      Listener listener(m_terms, *batch[i], sums[lane]);
      m_pass->run(inputs, listener, job.memoryBudget() / lanes, job);
      losses[i] = listener.loss();
    }
  });
  BatchGradients result;
  const double share = 1 / static_cast<double>(samplesIn(batch));
  for (const double loss : losses) result.loss += share * loss;
  result.gradients = m_parameters.gradients(m_graph, totalsOf(sums, job.workers()), ofWeights);
  for (std::vector<double>& gradient : result.gradients) {
    for (double& each : gradient) each *= share;
  }
  return result;
}

void TrainingNetwork::forEachRun(std::span<const TrainingSample* const> samples, JobContext& job,
                                 const RunSink& take) const {
  const TrainingGraph& graph = nearestOf(m_graph, m_nearest.get());
  const Bound parameters = m_parameters.inputsOf(graph, nullptr);
  job.workers().forEach(samples.size(), [&](std::size_t i) {
    job.throwIfCancelled();
    Bound inputs = samples[i]->inputs;
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    Execution execution(*m_forward, inputs);
    execution.run();
    take(i, execution);
  });
}

double TrainingNetwork::loss(std::span<const TrainingSample* const> samples,
                             JobContext& job) const {
  std::vector<double> losses(samples.size());
  forEachRun(samples, job, [&](std::size_t i, Execution& run) {
    for (std::size_t term = 0; term < m_terms.size(); ++term) {
      losses[i] +=
          distillationLoss(m_terms[term], run.value(m_terms[term].value), samples[i]->targets[term],
                           samples[i]->extent, samples[i]->labels, nullptr);
    }
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / static_cast<double>(samplesIn(samples));
}

std::vector<Tensor> TrainingNetwork::values(ValueId value,
                                            std::span<const TrainingSample* const> samples,
                                            JobContext& job) const {
  std::vector<Tensor> values(samples.size());
  forEachRun(samples, job, [&](std::size_t i, Execution& run) { values[i] = run.value(value); });
  return values;
}

}  // namespace quantscope
