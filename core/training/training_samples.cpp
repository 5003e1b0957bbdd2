#include "training/training_samples.h"

#include <algorithm>

#include "analysis/errors/tensor_errors.h"
#include "base/error.h"
#include "engine/execution.h"
#include "training/sample_variation.h"

namespace quantscope {

std::string wayToEnoughSamples() {
  return "give at least " + std::to_string(2 * TrainingSamples::kLeast) + " samples in " +
         std::to_string(2 * TrainingSamples::kLeastFeeds) +
         " runs of the model, of which half are held out, or as many as it needs to calibrate with";
}

namespace {

// Limit of the bytes of inputs and targets.
constexpr std::size_t kTargetBytes = std::size_t{2} << 30;
constexpr std::size_t kMostFeeds = 4096;

// More variations of samples that are held back tell two states no better apart.
constexpr std::size_t kWantedHeldBack = 128;

std::size_t bytesOf(const Feed& feed, const std::vector<Tensor>& targets) {
  std::size_t bytes = 0;
  for (const auto& [value, tensor] : feed.inputs) bytes += tensor.byteSize();
  for (const Tensor& target : targets) bytes += target.byteSize();
  return std::max<std::size_t>(1, bytes);
}

std::size_t largestOf(const std::vector<Tensor>& tensors) {
  std::size_t largest = 0;
  for (const Tensor& each : tensors) largest = std::max(largest, each.byteSize());
  return largest;
}

double squaresIn(const Tensor& y, const FeedExtent& extent) {
  double sum = 0;
  visitSamples(y, extent.batch, extent.samples,
               [&](std::size_t, std::size_t first, std::size_t count) {
                 for (const float each : y.values<float>().subspan(first, count)) {
                   sum += double{each} * double{each};
                 }
               });
  return sum;
}

std::vector<std::int64_t> labelsOf(const Labels& labels, const Feed& feed) {
  std::vector<std::int64_t> result;
  for (std::size_t i = feed.firstSample; i < feed.firstSample + feed.samples; ++i) {
    result.push_back(i < labels.classes.size() ? labels.classes[i] : -1);
  }
  return result;
}

void requireSamples(const SampleSet& source) {
  if (source.sampleCount() >= TrainingSamples::kLeast &&
      source.feedCount() >= TrainingSamples::kLeastFeeds)
    return;
  throw Error(ErrorCode::InsufficientData,
              "insufficient data: training needs " + std::to_string(TrainingSamples::kLeast) +
                  " samples to fit to, in " + std::to_string(TrainingSamples::kLeastFeeds) +
                  " runs of the model, but beside those that are held out there are " +
                  std::to_string(source.sampleCount()) + " in " +
                  std::to_string(source.feedCount()),
              {}, wayToEnoughSamples());
}

}  // namespace

TrainingSamples::TrainingSamples(const RepairState& state, SampleSet& source, const Labels& labels,
                                 std::vector<ValueId> values, JobContext& job)
    : m_source(source), m_job(job), m_values(std::move(values)) {
  requireSamples(source);
  PlanRequest request;
  const Graph& graph = state.twin->graph();
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.wanted = request.kept = m_values;
  m_plan = std::make_unique<Plan>(*state.twin, request);
  const Feed first = source.read(0);
  m_batch = first.batch;
  job.workers().run([&] { m_firstTargets = run(first.inputs, first.batch); });
  const std::size_t all = source.feedCount();
  const std::size_t fits =
      std::max<std::size_t>(kLeast, kTargetBytes / bytesOf(first, m_firstTargets));
  m_feeds.resize(std::min({all, fits, kMostFeeds}));
  shareMemory(first);
  ContentHasher hasher;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    m_feeds[i].index = i * all / m_feeds.size();
    addFeed(i, labels, hasher);
  }
  m_content = hasher.id();
  job.workers().forEach(m_feeds.size(), [&](std::size_t i) { computeTargets(i); });
}

// All feeds are as large as the first, but for dynamic shapes.
void TrainingSamples::shareMemory(const Feed& first) {
  m_keptFeeds = m_feeds.size();
  m_keptVariations = kWantedHeldBack;
  const std::size_t budget = m_job.memoryBudget();
  if (budget == 0) return;
  const std::size_t each = bytesOf(first, m_firstTargets);
  const std::size_t atOnce =
      each *
      std::max<std::size_t>(kTrainingLanes, static_cast<std::size_t>(m_job.workers().threads()));
  const std::size_t share = budget / kSampleShare;
  const std::size_t room = share - std::min(share, atOnce);
  const std::size_t ofFeed = each + 2 * largestOf(m_firstTargets);
  m_keptFeeds = std::min(m_feeds.size(), room / ofFeed);
  m_keptVariations = (room - m_keptFeeds * ofFeed) / each;
}

void TrainingSamples::addFeed(std::size_t index, const Labels& labels, ContentHasher& hasher) {
  KnownFeed& known = m_feeds[index];
  Feed feed = m_source.read(known.index);
  known.extent = {feed.batch, feed.samples};
  known.number = feed.firstSample;
  known.labels = labelsOf(labels, feed);
  m_anyLabels = m_anyLabels || std::ranges::any_of(known.labels, [](auto l) { return l >= 0; });
  hasher.add(feed.content).add(std::uint64_t{feed.firstSample});
  for (const std::int64_t label : known.labels) hasher.add(static_cast<std::uint64_t>(label));
  if (index < m_keptFeeds) known.inputs = std::move(feed.inputs);
}

void TrainingSamples::computeTargets(std::size_t feed) {
  KnownFeed& known = m_feeds[feed];
  std::vector<Tensor> targets = run(inputsOf(feed), known.extent.batch);
  for (const Tensor& target : targets) known.squares.push_back(squaresIn(target, known.extent));
  if (feed < m_keptFeeds) known.targets = std::move(targets);
}

std::vector<Tensor> TrainingSamples::run(const BoundTensors& inputs, std::size_t batch) const {
  Execution execution(*m_plan, inputs, nullptr, batch);
  while (!execution.finished()) {
    m_job.throwIfCancelled();
    execution.step();
  }
  std::vector<Tensor> targets;
  for (const ValueId value : m_values) targets.push_back(toFloat32(execution.value(value)));
  return targets;
}

std::vector<std::size_t> TrainingSamples::feeds(bool heldBack) const {
  std::vector<std::size_t> feeds;
  for (std::size_t i = 0; i < m_feeds.size(); ++i) {
    if (isHeldBack(i) == heldBack) feeds.push_back(i);
  }
  return feeds;
}

std::size_t TrainingSamples::samplesOf(bool heldBack) const {
  std::size_t samples = 0;
  for (const std::size_t feed : feeds(heldBack)) samples += m_feeds[feed].extent.samples;
  return samples;
}

BoundTensors TrainingSamples::inputsOf(std::size_t feed) const {
  const KnownFeed& known = m_feeds[feed];
  return feed < m_keptFeeds ? known.inputs : m_source.read(known.index).inputs;
}

TrainingSample TrainingSamples::sample(std::size_t feed,
                                       std::span<const std::size_t> targets) const {
  const KnownFeed& known = m_feeds[feed];
  TrainingSample sample;
  sample.inputs = inputsOf(feed);
  const std::vector<Tensor> all =
      feed < m_keptFeeds ? known.targets : run(sample.inputs, known.extent.batch);
  for (const std::size_t target : targets) sample.targets.push_back(all[target]);
  sample.labels = known.labels;
  sample.extent = known.extent;
  sample.number = known.number;
  return sample;
}

std::optional<BoundTensors> TrainingSamples::variedInputs(std::size_t feed, std::size_t other,
                                                          const CounterRandom& random) const {
  const BoundTensors one = inputsOf(feed);
  const BoundTensors two = inputsOf(other);
  const bool mixes = random.uniform(0) < 0.5;
  const auto lambda = static_cast<float>(random.uniform(1));
  BoundTensors inputs;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Tensor& a = one[i].second;
    const Tensor& b = two[i].second;
    if (a.type() != ElementType::Float32 || b.type() != a.type() || a.shape() != b.shape()) {
      return std::nullopt;
    }
    const Tensor moved = shiftedPicture(a, random.with(2));
    inputs.emplace_back(
        one[i].first, mixes ? mixtureOf(moved, shiftedPicture(b, random.with(3)), lambda) : moved);
  }
  return inputs;
}

std::optional<TrainingSample> TrainingSamples::varied(std::size_t feed, std::size_t other,
                                                      const CounterRandom& random) const {
  std::optional<BoundTensors> inputs = variedInputs(feed, other, random);
  if (!inputs) return std::nullopt;
  const FeedExtent& extent = m_feeds[feed].extent;
  TrainingSample sample;
  sample.inputs = *std::move(inputs);
  sample.targets = run(sample.inputs, extent.batch);
  sample.extent = {extent.batch, std::min(extent.samples, m_feeds[other].extent.samples)};
  sample.number = m_feeds[feed].number;
  return sample;
}

std::vector<SampleMaker> TrainingSamples::heldBackVariations(const CounterRandom& random) const {
  constexpr std::size_t kMostOfEach = 3;
  const std::vector<std::size_t> held = feeds(true);
  const std::size_t ofEach =
      std::min(kMostOfEach, kWantedHeldBack / std::max<std::size_t>(1, samplesOf(true)));
  std::vector<SampleMaker> makers(held.size() * ofEach);
  m_job.workers().forEach(makers.size(), [&](std::size_t i) {
    const CounterRandom own = random.with(i);
    const std::size_t feed = held[i % held.size()];
    const std::size_t other = held[own.bits(2) % held.size()];
    if (i >= m_keptVariations) {
      if (!variedInputs(feed, other, own)) return;
      makers[i] = [this, feed, other, own] { return varied(feed, other, own).value(); };
    } else if (std::optional<TrainingSample> made = varied(feed, other, own)) {
      makers[i] = [kept = *std::move(made)] { return kept; };
    }
  });
  std::erase_if(makers, [](const SampleMaker& maker) { return !maker; });
  return makers;
}

double TrainingSamples::power(std::size_t value) const {
  double sum = 0;
  for (const std::size_t feed : feeds(false)) sum += m_feeds[feed].squares[value];
  return sum > 0 ? sum / static_cast<double>(samplesOf(false)) : 1;
}

}  // namespace quantscope
