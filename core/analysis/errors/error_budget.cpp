#include "analysis/errors/error_budget.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "analysis/sensitivity/layer_parts.h"
#include "analysis/twin_run.h"
#include "analysis/value_uses.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

/// The measurements of one layer on one feed; null where there is none.
struct LayerBudget {
  std::array<std::shared_ptr<const ErrorRecord>, kLayerParts.size()> parts;
  std::shared_ptr<const ErrorRecord> all;
};
using FeedBudgets = std::vector<LayerBudget>;

/// One of the requested layers.
struct AskedLayer {
  std::size_t index = 0;  ///< in the model
  const LayerMeasures* measures = nullptr;
  LayerParts parts;
  std::array<ContentId, kLayerParts.size()> keys;
};

std::array<ContentId, kLayerParts.size()> keysOf(const LayerMeasures& measures) {
  std::array<ContentId, kLayerParts.size()> keys;
  for (std::size_t part = 0; part < keys.size(); ++part) {
    keys[part] = ContentHasher().add("budget").add(std::uint64_t{part}).add(measures.localKey).id();
  }
  return keys;
}

// Runs the float network once, as far as needed, and each layer once for each of its parts as soon
// as its inputs and outputs are there.
class BudgetRun {
 public:
  BudgetRun(const TwinSetup& setup, const std::vector<AskedLayer>& layers, const Feed& feed,
            ErrorStore& errors, const JobContext& job)
      : m_setup(setup),
        m_layers(layers),
        m_feed(feed),
        m_sample{feed.content, feed.inputs, feed.batch},
        m_errors(errors),
        m_job(job),
        m_uses(setup.graph().values().size()),
        m_waiting(layers.size(), 0) {}

  FeedBudgets run() {
    lookUp();
    if (m_uses.values().empty()) return std::move(m_budgets);
    m_run = std::make_unique<Evaluation>(m_setup.evaluator, m_sample, m_setup.referenceKeys,
                                         nullptr, m_uses.values(), Evaluation::Keep::InCache);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
      if (m_missing[i]) await(i);
    }
    while (!m_run->finished()) {
      m_job.throwIfCancelled();
      m_run->step();
      for (const ValueId value : m_run->made()) arrived(value);
    }
    return std::move(m_budgets);
  }

 private:
  std::vector<ValueId> valuesOf(std::size_t i) const {
    std::vector<ValueId> values = m_layers[i].measures->inputs;
    values.push_back(m_layers[i].measures->output);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    return values;
  }

  void lookUp() {
    MeasureScope whole{.layers = false, .outputs = false, .localOf = {}};
    for (const AskedLayer& layer : m_layers) whole.localOf.push_back(layer.index);
    const FeedRecords records = measureFeed(m_setup, m_feed, whole, m_errors, m_job);
    m_budgets.resize(m_layers.size());
    m_missing.resize(m_layers.size());
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
      m_budgets[i].all = records.layers[m_layers[i].index].local;
      for (std::size_t part = 0; part < kLayerParts.size(); ++part) {
        if (!m_layers[i].parts.has(kLayerParts[part])) continue;
        auto& known = m_budgets[i].parts[part];
        known = m_errors.find<ErrorRecord>(combined({m_feed.content, m_layers[i].keys[part]}));
        m_missing[i] = m_missing[i] || known == nullptr;
      }
      if (!m_missing[i]) continue;
      for (const ValueId value : valuesOf(i)) m_uses.add(value);
    }
  }

  void await(std::size_t i) {
    for (const ValueId value : valuesOf(i)) {
      if (m_run->find(value).tensor.defined()) continue;
      ++m_waiting[i];
      m_waitingFor[value].push_back(i);
    }
    if (m_waiting[i] == 0) measure(i);
  }

  void arrived(ValueId value) {
    const auto waiting = m_waitingFor.extract(value);
    if (waiting.empty()) return;
    for (const std::size_t i : waiting.mapped()) {
      if (--m_waiting[i] == 0) measure(i);
    }
  }

  void measure(std::size_t i) {
    const AskedLayer& layer = m_layers[i];
    const Tensor expected = m_run->find(layer.measures->output).tensor;
    const auto inputOf = [&](NodeId node, std::size_t input, Layout preferred) {
      return tensorOf(m_run->find(m_setup.graph()[node].inputs[input]), preferred);
    };
    for (std::size_t part = 0; part < kLayerParts.size() && isFloat(expected.type()); ++part) {
      auto& record = m_budgets[i].parts[part];
      if (record != nullptr || !layer.parts.has(kLayerParts[part])) continue;
      m_job.throwIfCancelled();
      Tensor actual = layer.parts.run(kLayerParts[part], expected, m_feed.batch, inputOf);
      if (!actual.defined()) actual = expected;
      ErrorRecord sums;
      if (actual.shape() == expected.shape()) {
        sums.samples.resize(m_feed.samples);
        addErrors(expected, actual, ChannelAxis(), m_feed.batch, sums.samples);
      }
      record = m_errors.insert(combined({m_feed.content, layer.keys[part]}), std::move(sums));
    }
    for (const ValueId value : valuesOf(i)) {
      if (m_uses.remove(value)) m_run->release(value);
    }
  }

  const TwinSetup& m_setup;
  const std::vector<AskedLayer>& m_layers;
  const Feed& m_feed;
  SampleInputs m_sample;
  ErrorStore& m_errors;
  const JobContext& m_job;
  FeedBudgets m_budgets;        // by asked layer
  std::vector<bool> m_missing;  // likewise
  ValueUses m_uses;
  std::vector<std::size_t> m_waiting;  // by asked layer: values that are still to come
  std::unordered_map<ValueId, std::vector<std::size_t>> m_waitingFor;
  std::unique_ptr<Evaluation> m_run;
};

/// The sums of one layer over the feeds so far.
struct LayerTotals {
  std::array<ErrorSums, kLayerParts.size()> parts;
  ErrorSums all;
  bool compared = true;

  void add(const LayerBudget& budget) {
    compared = compared && addTo(all, budget.all);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (budget.parts[part] != nullptr)
        compared = addTo(parts[part], budget.parts[part]) && compared;
    }
  }

  std::optional<ErrorBudget> budget() const {
    if (!compared || !(all.referenceSquared > 0)) return std::nullopt;
    std::array<double, kLayerParts.size()> shares;
    double sum = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      shares[part] = parts[part].squaredError / all.referenceSquared;
      sum += shares[part];
    }
    const auto of = [&](LayerPart part) { return shares[static_cast<std::size_t>(part)]; };
    return ErrorBudget{.input = of(LayerPart::Input),
                       .weight = of(LayerPart::Weight),
                       .bias = of(LayerPart::Bias),
                       .output = of(LayerPart::Output),
                       .clipping = of(LayerPart::Clipping),
                       .together = all.squaredError / all.referenceSquared - sum};
  }

 private:
  static bool addTo(ErrorSums& sums, const std::shared_ptr<const ErrorRecord>& record) {
    if (record == nullptr || !record->compared()) return false;
    for (const ChannelSums& sample : record->samples) sums.add(total(sample));
    return true;
  }
};

}  // namespace

std::vector<std::optional<ErrorBudget>> measureErrorBudgets(
    const Engine& engine, const QuantizedModel& model, SampleSet& samples,
    std::span<const std::size_t> layers, AnalysisMemory& memory, JobContext& job) {
  const Evaluator evaluator(engine, memory.activations);
  const TwinSetup setup(evaluator, model, std::vector<std::optional<Range>>(model.layers.size()));
  std::vector<AskedLayer> asked;
  std::vector<std::size_t> places;  // by asked layer: in `layers`
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerMeasures& measures = setup.layers[layers[i]];
    if (!measures.local || measures.inside) continue;
    asked.push_back({layers[i], &measures, LayerParts(engine, model, model.layers[layers[i]]),
                     keysOf(measures)});
    places.push_back(i);
  }
  std::vector<LayerTotals> totals(asked.size());
  job.beginStage("Error budgets", samples.sampleCount(), "samples");
  forEachFeed(
      samples, job,
      [&](const Feed& feed) { return BudgetRun(setup, asked, feed, memory.errors, job).run(); },
      [&](const Feed& /*feed*/, const FeedBudgets& budgets) {
        for (std::size_t i = 0; i < budgets.size(); ++i) totals[i].add(budgets[i]);
      });
  std::vector<std::optional<ErrorBudget>> result(layers.size());
  for (std::size_t i = 0; i < asked.size(); ++i) result[places[i]] = totals[i].budget();
  return result;
}

}  // namespace quantscope
