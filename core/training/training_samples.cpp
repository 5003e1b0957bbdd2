#include "training/training_samples.h"

#include <algorithm>

#include "analysis/errors/tensor_errors.h"
#include "base/error.h"
#include "engine/execution.h"
#include "training/sample_variation.h"

namespace quantscope {
namespace {

constexpr std::size_t kLeastSamples = 8;
// Minimum number of feeds, so that one is held back.
constexpr std::size_t kLeastFeeds = 3;
// Limit of the bytes of inputs and targets.
constexpr std::size_t kTargetBytes = std::size_t{2} << 30;
constexpr std::size_t kMostFeeds = 4096;

std::size_t bytesOf(const Feed& feed, const std::vector<Tensor>& targets) {
  std::size_t bytes = 0;
  for (const auto& [value, tensor] : feed.inputs) bytes += tensor.byteSize();
  for (const Tensor& target : targets) bytes += target.byteSize();
  return std::max<std::size_t>(1, bytes);
}

std::vector<std::int64_t> labelsOf(const Labels& labels, const Feed& feed) {
  std::vector<std::int64_t> result;
  for (std::size_t i = feed.firstSample; i < feed.firstSample + feed.samples; ++i) {
    result.push_back(i < labels.classes.size() ? labels.classes[i] : -1);
  }
  return result;
}

}  // namespace

TrainingSamples::TrainingSamples(const RepairState& state, SampleSet& source, const Labels& labels,
                                 std::vector<ValueId> values, JobContext& job) {
  if (source.sampleCount() < kLeastSamples || source.feedCount() < kLeastFeeds) {
    throw Error(ErrorCode::InsufficientData,
                "insufficient data: training needs " + std::to_string(kLeastSamples) +
                    " samples to fit to, in " + std::to_string(kLeastFeeds) +
                    " runs of the model, but beside those that are held out there are " +
                    std::to_string(source.sampleCount()) + " in " +
                    std::to_string(source.feedCount()),
                {}, "give at least 16 samples, or as many as it needs to calibrate with");
  }
  PlanRequest request;
  const Graph& graph = state.twin->graph();
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.wanted = request.kept = values;
  m_plan = std::make_unique<Plan>(*state.twin, request);
  m_values = std::move(values);
  Feed first = source.read(0);
  std::vector<Tensor> targets;
  job.workers().run([&] { targets = run(first.inputs, first.batch, job); });
  const std::size_t all = source.feedCount();
  const std::size_t fits =
      std::max<std::size_t>(kLeastSamples, kTargetBytes / bytesOf(first, targets));
  const std::size_t count = std::min({all, fits, kMostFeeds});
  ContentHasher hasher;
  for (std::size_t i = 0; i < count; ++i) {
    m_feeds.push_back(source.read(i * all / count));
    m_labels.push_back(labelsOf(labels, m_feeds.back()));
    m_anyLabels =
        m_anyLabels || std::ranges::any_of(m_labels.back(), [](auto l) { return l >= 0; });
    hasher.add(m_feeds.back().content).add(std::uint64_t{m_feeds.back().firstSample});
    for (const std::int64_t label : m_labels.back()) hasher.add(static_cast<std::uint64_t>(label));
  }
  m_content = hasher.id();
  m_batch = first.batch;
  m_targets.resize(count);
  job.workers().forEach(
      count, [&](std::size_t i) { m_targets[i] = run(m_feeds[i].inputs, m_feeds[i].batch, job); });
}

std::vector<Tensor> TrainingSamples::run(std::span<const std::pair<ValueId, Tensor>> inputs,
                                         std::size_t batch, const JobContext& job) const {
  Execution execution(*m_plan, inputs, nullptr, batch);
  while (!execution.finished()) {
    job.throwIfCancelled();
    execution.step();
  }
  std::vector<Tensor> targets;
  for (const ValueId value : m_values) targets.push_back(toFloat32(execution.value(value)));
  return targets;
}

std::optional<TrainingSample> TrainingSamples::varied(std::size_t feed, std::size_t other,
                                                      const CounterRandom& random,
                                                      const JobContext& job) const {
  const Feed& one = m_feeds[feed];
  const Feed& two = m_feeds[other];
  const bool mixes = random.uniform(0) < 0.5;
  const auto lambda = static_cast<float>(random.uniform(1));
  TrainingSample sample;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const Tensor& a = one.inputs[i].second;
    const Tensor& b = two.inputs[i].second;
    if (a.type() != ElementType::Float32 || b.type() != a.type() || a.shape() != b.shape()) {
      return std::nullopt;
    }
    const Tensor moved = shiftedPicture(a, random.with(2));
    sample.inputs.emplace_back(
        one.inputs[i].first,
        mixes ? mixtureOf(moved, shiftedPicture(b, random.with(3)), lambda) : moved);
  }
  sample.targets = run(sample.inputs, one.batch, job);
  sample.extent = {one.batch, std::min(one.samples, two.samples)};
  sample.number = one.firstSample;
  return sample;
}

std::size_t TrainingSamples::samplesOf(bool heldBack) const {
  std::size_t samples = 0;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    if (isHeldBack(i) == heldBack) samples += m_feeds[i].samples;
  }
  return samples;
}

std::vector<const TrainingSample*> TrainingSamples::part(const std::vector<TrainingSample>& all,
                                                         bool heldBack) {
  std::vector<const TrainingSample*> part;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (isHeldBack(i) == heldBack) part.push_back(&all[i]);
  }
  return part;
}

std::vector<TrainingSample> TrainingSamples::forNetwork(
    std::span<const std::size_t> targets) const {
  std::vector<TrainingSample> samples;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    TrainingSample& sample = samples.emplace_back();
    sample.inputs = m_feeds[i].inputs;
    for (const std::size_t target : targets) sample.targets.push_back(m_targets[i][target]);
    sample.labels = m_labels[i];
    sample.extent = {m_feeds[i].batch, m_feeds[i].samples};
    sample.number = m_feeds[i].firstSample;
  }
  return samples;
}

std::vector<TrainingSample> TrainingSamples::heldBackVariations(const CounterRandom& random,
                                                                JobContext& job) const {
  constexpr std::size_t kWanted = 128;
  constexpr std::size_t kMostOfEach = 3;
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    if (isHeldBack(i)) held.push_back(i);
  }
  const std::size_t ofEach =
      std::min(kMostOfEach, kWanted / std::max<std::size_t>(1, samplesOf(true)));
  std::vector<std::optional<TrainingSample>> made(held.size() * ofEach);
  job.workers().forEach(made.size(), [&](std::size_t i) {
    const CounterRandom own = random.with(i);
    made[i] = varied(held[i % held.size()], held[own.bits(2) % held.size()], own, job);
  });
  std::vector<TrainingSample> variations;
  for (std::optional<TrainingSample>& each : made) {
    if (each) variations.push_back(*std::move(each));
  }
  return variations;
}

double TrainingSamples::power(std::size_t value) const {
  double sum = 0;
  std::size_t samples = 0;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    if (isHeldBack(i)) continue;
    const Tensor& y = m_targets[i][value];
    visitSamples(y, m_feeds[i].batch, m_feeds[i].samples,
                 [&](std::size_t, std::size_t first, std::size_t count) {
                   for (const float each : y.values<float>().subspan(first, count)) {
                     sum += double{each} * double{each};
                   }
                 });
    samples += m_feeds[i].samples;
  }
  return sum > 0 ? sum / static_cast<double>(samples) : 1;
}

}  // namespace quantscope
