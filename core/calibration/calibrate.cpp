#include "calibration/calibrate.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "calibration/feed_loop.h"
#include "calibration/rectified_values.h"
#include "engine/evaluation/evaluator.h"
#include "engine/execution.h"
#include "engine/product_count.h"
#include "graph/channel_axis.h"

namespace quantscope {
namespace {

/// The summary of one feed.
struct FeedSummary {
  std::vector<std::vector<SampleSummary>> samples;  ///< [sample][value]
  std::vector<double> products;                     ///< multiply-accumulates by node
};

// A value inside a loop is seen once per iteration.
void merge(SampleSummary& into, SampleSummary&& summary) {
  if (into.range == MinMax()) {
    into = std::move(summary);
    return;
  }
  into.merge(summary);
}

// Keeps values of the runs in a cache, up to half of its budget: later values would drop the ones
// that are needed first.
class ActivationKeeper {
 public:
  ActivationKeeper(const Engine& engine, const KeptActivations& kept)
      : m_cache(kept.cache), m_wanted(engine.graph().values().size()) {
    if (m_cache == nullptr) return;
    m_keys.emplace(engine, nullptr);
    for (const ValueId value : kept.values) m_wanted[value.at()] = true;
  }

  void keep(const Feed& feed, ValueId value, const Execution& execution, double& seconds) const {
    if (m_cache == nullptr || !feed.content.valid() || !m_wanted[value.at()]) return;
    if (execution.depth() > 1 || m_cache->bytes() > m_cache->budget() / 2) return;
    const StoredValue stored = execution.stored(value);
    if (!stored.tensor.defined()) return;
    const SampleInputs sample{feed.content, feed.inputs, feed.batch};
    m_cache->insert(Evaluator::key(sample, *m_keys, value), stored, seconds);
    seconds = 0;
  }

 private:
  ActivationCache* m_cache;
  std::vector<bool> m_wanted;  // by value
  std::optional<ValueKeys> m_keys;
};

class Calibration {
 public:
  Calibration(const Engine& engine, const ObservationSettings& settings,
              const KeptActivations& kept)
      : m_engine(engine),
        m_plan(planForAllValues(engine)),
        m_keeper(engine, kept),
        m_settings(settings),
        m_axes(findChannelAxes(engine.graph())),
        m_rectified(findRectifiedValues(engine.graph(), m_axes)),
        m_created(std::make_unique<std::once_flag[]>(m_axes.size())),
        m_observers(m_axes.size()),
        m_folded(m_axes.size(), 0),
        m_products(engine.graph().nodes().size(), 0) {}

  FeedSummary observe(const Feed& feed, const JobContext& job) {
    const Graph& graph = m_engine.graph();
    FeedSummary summary{.samples = {feed.samples, std::vector<SampleSummary>(m_axes.size())},
                        .products = std::vector<double>(graph.nodes().size(), 0)};
    for (const auto& [value, tensor] : feed.inputs) observe(value, tensor, feed, summary);
    Execution execution(m_plan, feed.inputs, nullptr, feed.batch);
    double seconds = 0;  // since a value was kept
    while (!execution.finished()) {
      job.throwIfCancelled();
      const Clock::time_point start = Clock::now();
      const NodeId done = stepCountingProducts(graph, execution, summary.products);
      seconds += std::chrono::duration<double>(Clock::now() - start).count();
      const BlockId started = execution.started();
      if (!done.valid() && !started.valid()) continue;
      // The inputs of a loop's body are set by the loop, not by a node.
      for (const ValueId value : done.valid() ? graph[done].outputs : graph[started].inputs) {
        if (!value.valid()) continue;
        observe(value, toObserve(value, execution), feed, summary);
        if (done.valid()) m_keeper.keep(feed, value, execution, seconds);
      }
    }
    // Samples that fill up the batch count nowhere.
    const double share = static_cast<double>(feed.samples) / static_cast<double>(feed.batch);
    for (double& products : summary.products) products *= share;
    return summary;
  }

  // Each value takes the samples in their order, whatever the others do.
  void fold(const FeedSummary& summary, const Workers& workers) {
    const auto& summaries = summary.samples;
    workers.forEach(m_observers.size(), [&](std::size_t value) {
      if (!m_observers[value]) return;
      for (std::size_t i = 0; i < summaries.size(); ++i) {
        foldValue(value, m_samples + i, summaries[i][value]);
      }
    });
    m_samples += summaries.size();
    std::ranges::transform(m_products, summary.products, m_products.begin(), std::plus());
  }

  Observations finish() {
    std::vector<std::optional<Observation>> byValue(m_observers.size());
    for (std::size_t i = 0; i < m_observers.size(); ++i) {
      if (m_observers[i]) byValue[i] = m_observers[i]->finish();
      m_observers[i].reset();
    }
    addRectified(byValue);
    return {m_samples, std::move(byValue), std::move(m_products)};
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Samples before the first one that reached the value still take their place in the batches.
  void foldValue(std::size_t value, std::size_t sample, const SampleSummary& summary) {
    for (; m_folded[value] < sample; ++m_folded[value]) m_observers[value]->fold({});
    m_observers[value]->fold(summary);
    ++m_folded[value];
  }

  // Goes in the order of the nodes, because a rectified value may be rectified again.
  void addRectified(std::vector<std::optional<Observation>>& byValue) const {
    const Graph& graph = m_engine.graph();
    for (const NodeId node : graph.main().nodes) {
      for (const ValueId value : graph[node].outputs) {
        if (!value.valid() || !m_rectified[value.at()].valid() || !byValue[value.at()]) continue;
        Observation& observation = *byValue[value.at()];
        observation.logLinear =
            byValue[m_rectified[value.at()].at()].value().logLinear.rectified(observation.count);
      }
    }
  }

  void observe(ValueId value, const Tensor& tensor, const Feed& feed, FeedSummary& summary) {
    if (!isObserved(tensor)) return;
    const Tensor elements = toFloat32(tensor);
    Shape shape = elements.shape();
    const bool batched =
        feed.batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(feed.batch);
    if (batched) shape[0] = 1;
    const auto length = static_cast<std::size_t>(shape.elementCount());
    ValueObserver& observer = observerOf(value, shape.rank());
    const ValueId input = m_rectified[value.at()];
    for (std::size_t sample = 0; sample < (batched ? feed.samples : 1); ++sample) {
      std::vector<SampleSummary>& summaries = summary.samples[sample];
      const SampleSummary* rectified = input.valid() ? &summaries[input.at()] : nullptr;
      merge(summaries[value.at()],
            observer.observe(elements.values<float>().subspan(sample * length, length), shape,
                             elements.layout(), rectified));
    }
  }

  static bool isObserved(const Tensor& tensor) {
    return tensor.defined() && isFloat(tensor.type()) && tensor.type() != ElementType::Float64;
  }

  // In the layout in which it is at hand, if the observer takes that.
  Tensor toObserve(ValueId value, Execution& execution) {
    const Tensor tensor = execution.value(value, Layout::ChannelsLast);
    if (!isObserved(tensor) || tensor.layout() == Layout::Plain) return tensor;
    const ValueObserver& observer = observerOf(value, tensor.shape().rank());
    return observer.takesChannelsLast() ? tensor : execution.value(value);
  }

  ValueObserver& observerOf(ValueId value, std::size_t rank) {
    std::call_once(m_created[value.at()], [&] {
      m_observers[value.at()] =
          std::make_unique<ValueObserver>(m_axes[value.at()].of(rank), m_settings);
    });
    return *m_observers[value.at()];
  }

  const Engine& m_engine;
  Plan m_plan;
  ActivationKeeper m_keeper;
  ObservationSettings m_settings;
  std::vector<ChannelAxis> m_axes;
  std::vector<ValueId> m_rectified;             // by value: of which it is max(x, 0)
  std::unique_ptr<std::once_flag[]> m_created;  // by value: guards the observer's creation
  std::vector<std::unique_ptr<ValueObserver>> m_observers;
  std::vector<std::size_t> m_folded;
  std::vector<double> m_products;
  std::size_t m_samples = 0;
};

}  // namespace

Observations calibrate(const Engine& engine, SampleSource& source,
                       const ObservationSettings& settings, JobContext& job, std::size_t most,
                       const KeptActivations& kept) {
  if (source.sampleCount() == 0) {
    throw Error(ErrorCode::InsufficientData, "insufficient data: there are no samples",
                {.file = source.description(), .node = {}, .value = {}}, "give at least one");
  }
  Calibration calibration(engine, settings, kept);
  job.beginStage("Calibrating", source.sampleCount(), "samples");
  forEachFeed(
      source, job, [&](const Feed& feed) { return calibration.observe(feed, job); },
      [&](const Feed& /*feed*/, const FeedSummary& summary) {
        calibration.fold(summary, job.workers());
      },
      most);
  return calibration.finish();
}

}  // namespace quantscope
