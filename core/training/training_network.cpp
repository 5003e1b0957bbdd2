#include "training/training_network.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/counter_random.h"
#include "engine/evaluation/evaluation.h"
#include "engine/execution.h"
#include "engine/gradients/summing_listener.h"

namespace quantscope {
namespace {

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

double samplesIn(std::span<const std::size_t> counts) {
  const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return static_cast<double>(std::max<std::size_t>(1, count));
}

// Bytes for the pass of each lane; 0 = no limit.
std::size_t passBytes(const JobContext& job, std::size_t lanes) {
  const std::size_t budget = job.memoryBudget();
  return budget == 0 ? 0 : std::max<std::size_t>(1, (budget - budget / kSampleShare) / lanes);
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

// Samples are dealt out to lanes with a sum each, whatever the number of threads.
BatchGradients TrainingNetwork::backward(std::span<const SampleMaker> batch, const StepNoise* noise,
                                         JobContext& job) const {
  std::optional<RoundingNoise> weights;
  if (noise != nullptr) weights = weightNoise(*noise);
  const RoundingNoise* const ofWeights = weights ? &*weights : nullptr;
  const BoundTensors parameters = m_parameters.inputsOf(m_graph, ofWeights);
  const std::size_t lanes = std::min(kTrainingLanes, batch.size());
  std::vector<CotangentSums> sums(lanes, zeroSums(m_sources));
  std::vector<double> losses(batch.size());
  std::vector<std::size_t> counts(batch.size());
  job.workers().forEach(lanes, [&](std::size_t lane) {
    for (std::size_t i = lane; i < batch.size(); i += lanes) {
      const TrainingSample sample = batch[i]();
      BoundTensors inputs = sample.inputs;
      inputs.insert(inputs.end(), parameters.begin(), parameters.end());
      if (noise != nullptr) {
        const std::uint64_t key = CounterRandom(noise->key).with(sample.number).key();
        inputs.emplace_back(m_graph.noise,
                            Tensor::of<std::int64_t>(Shape{1}, {static_cast<std::int64_t>(key)}));
      }
      Listener listener(m_terms, sample, sums[lane]);
      m_pass->run(inputs, listener, passBytes(job, lanes), job);
      losses[i] = listener.loss();
      counts[i] = sample.extent.samples;
    }
  });
  BatchGradients result;
  const double share = 1 / samplesIn(counts);
  for (const double loss : losses) result.loss += share * loss;
  result.gradients = m_parameters.gradients(m_graph, totalsOf(sums, job.workers()), ofWeights);
  for (std::vector<double>& gradient : result.gradients) {
    for (double& each : gradient) each *= share;
  }
  return result;
}

void TrainingNetwork::forEachRun(std::span<const SampleMaker> samples, JobContext& job,
                                 const RunSink& take) const {
  const BoundTensors bound = parameters();
  job.workers().forEach(samples.size(), [&](std::size_t i) {
    job.throwIfCancelled();
    const TrainingSample sample = samples[i]();
    BoundTensors inputs = sample.inputs;
    inputs.insert(inputs.end(), bound.begin(), bound.end());
    Execution execution(*m_forward, inputs);
    execution.run();
    take(i, sample, execution);
  });
}

double TrainingNetwork::loss(std::span<const SampleMaker> samples, JobContext& job) const {
  std::vector<double> losses(samples.size());
  std::vector<std::size_t> counts(samples.size());
  forEachRun(samples, job, [&](std::size_t i, const TrainingSample& sample, Execution& run) {
    for (std::size_t term = 0; term < m_terms.size(); ++term) {
      losses[i] += distillationLoss(m_terms[term], run.value(m_terms[term].value),
                                    sample.targets[term], sample.extent, sample.labels, nullptr);
    }
    counts[i] = sample.extent.samples;
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / samplesIn(counts);
}

std::vector<Tensor> TrainingNetwork::values(ValueId value, std::span<const SampleMaker> samples,
                                            JobContext& job) const {
  std::vector<Tensor> values(samples.size());
  forEachRun(samples, job, [&](std::size_t i, const TrainingSample& /*sample*/, Execution& run) {
    values[i] = run.value(value);
  });
  return values;
}

BoundTensors TrainingNetwork::parameters() const {
  return m_parameters.inputsOf(nearestOf(m_graph, m_nearest.get()), nullptr);
}

Tensor TrainingNetwork::value(ValueId value, BoundTensors inputs,
                              const BoundTensors& parameters) const {
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  Execution execution(*m_forward, inputs);
  execution.run();
  return execution.value(value);
}

std::set<std::size_t> sharedGroups(const std::vector<std::unique_ptr<TrainingNetwork>>& networks) {
  std::map<std::size_t, std::size_t> uses;
  for (const auto& network : networks) {
    for (const TrainingGraph::Range& range : network->graph().ranges) ++uses[range.group];
  }
  std::set<std::size_t> shared;
  for (const auto& [group, count] : uses) {
    if (count > 1) shared.insert(group);
  }
  return shared;
}

}  // namespace quantscope
