#include "analysis/sensitivity/gain_estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>

#include "analysis/errors/tensor_errors.h"
#include "analysis/sensitivity/probes.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"
#include "engine/gradients/reverse_pass.h"
#include "engine/quantized_node.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kGainSeed = 0;

// A node that a change touches, met at one of its outputs.
struct TouchedNode {
  std::size_t change;
  NodeId node;
  std::size_t output;  ///< of the node
  const AppliedNode* applied;
};

// Where changes are met, and which of them can be.
class TouchedNodes {
 public:
  TouchedNodes(const Engine& engine, std::span<const QuantizationChanges> changes)
      : m_engine(engine), m_possible(changes.size(), 1) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (const auto& [node, applied] : changes[i]) add(i, node, applied.get());
    }
  }

  const std::vector<TouchedNode>& at(ValueId value) const { return m_byValue.at(value); }
  bool possible(std::size_t change) const { return m_possible[change] != 0; }
  void leaveOut(const ReversePass& pass) {
    for (const auto& [value, nodes] : m_byValue) {
      if (pass.whyNot(value).empty()) continue;
      for (const TouchedNode& touched : nodes) m_possible[touched.change] = 0;
    }
  }

  std::vector<ReverseSource> sources() const {
    std::vector<ReverseSource> sources;
    for (const auto& [value, nodes] : m_byValue) sources.push_back({value, {}});
    return sources;
  }
  // Of the quantized network: what the nodes are given and make.
  std::vector<ValueId> values() const {
    std::vector<ValueId> values;
    for (const auto& [value, nodes] : m_byValue) {
      values.push_back(value);
      for (const TouchedNode& touched : nodes) {
        std::ranges::copy_if(m_engine.graph()[touched.node].inputs, std::back_inserter(values),
                             &ValueId::valid);
      }
    }
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    return values;
  }

 private:
  void add(std::size_t change, NodeId node, const AppliedNode* applied) {
    const Graph& graph = m_engine.graph();
    if (m_engine.kernel(node) == nullptr || graph[node].block != Graph::mainBlock()) {
      m_possible[change] = 0;
      return;
    }
    for (std::size_t i = 0; i < graph[node].outputs.size(); ++i) {
      const ValueId value = graph[node].outputs[i];
      if (value.valid()) m_byValue[value].push_back({change, node, i, applied});
    }
  }

  const Engine& m_engine;
  std::vector<char> m_possible;  // by change
  std::map<ValueId, std::vector<TouchedNode>> m_byValue;
};

// What one feed adds.
struct FeedEffect {
  double error = 0;             // ‖e‖²
  std::vector<double> changed;  // by change: 2⟨e, d⟩ + ‖d‖²
  std::vector<double> moved;    // by change: ‖d‖²
};

// What all feeds of an estimate share.
struct GainSetup {
  const Evaluator& evaluator;
  const QuantizedModel& base;
  const ValueKeys& keys;
  ValueId output;
  const TouchedNodes& touched;
  std::size_t changes;
  const JobContext& job;

  const Engine& engine() const { return evaluator.engine(); }
};

class EffectOfFeed final : public ReverseListener {
 public:
  EffectOfFeed(const GainSetup& setup, const Feed& feed)
      : m_setup(setup),
        m_feed(feed),
        m_sample{feed.content, feed.inputs, feed.batch},
        m_products(setup.changes, std::vector<double>(1 + kGainProbes)),
        m_met(setup.changes) {}

  // e, then the probes.
  std::vector<std::vector<Tensor>> begin(const Values& values) override {
    fillCache();
    const Tensor expected = toFloat32(toLayout(values.find(m_setup.output).tensor, Layout::Plain));
    const ValueId output[] = {m_setup.output};
    const Tensor actual = now(output).find(m_setup.output).tensor;
    if (!actual.defined() || actual.shape() != expected.shape()) return {};
    const Tensor error = differenceOf(actual, expected, Layout::Plain);
    std::vector<std::vector<Tensor>> seeds(1 + kGainProbes);
    for (std::size_t probe = 0; probe < seeds.size(); ++probe) {
      Tensor seed = Tensor::zeros(ElementType::Float32, error.shape());
      visitSamples(error, m_feed.batch, m_feed.samples,
                   [&](std::size_t sample, std::size_t first, std::size_t count) {
                     fill(probe, sample, error.values<float>().subspan(first, count),
                          seed.mutableValues<float>().subspan(first, count));
                   });
      seeds[probe].push_back(std::move(seed));
    }
    return seeds;
  }

  void take(ValueId source, std::span<const Tensor> cotangents, const Values& /*values*/) override {
    if (std::ranges::none_of(cotangents, &Tensor::defined)) return;
    for (const TouchedNode& touched : m_setup.touched.at(source)) {
      if (m_setup.touched.possible(touched.change)) meet(touched, source, cotangents);
    }
  }

  FeedEffect finish() const {
    FeedEffect effect{m_error, {}, {}};
    for (std::size_t change = 0; change < m_products.size(); ++change) {
      const std::vector<double>& products = m_products[change];
      // Where no gradient arrives, it may be that none can.
      double moved = m_met[change] != 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
      for (std::size_t i = 1; i < products.size(); ++i) moved += products[i] * products[i];
      moved /= static_cast<double>(kGainProbes);
      effect.moved.push_back(moved);
      effect.changed.push_back(2 * products[0] + moved);
    }
    return effect;
  }

 private:
  void fill(std::size_t probe, std::size_t sample, std::span<const float> error,
            std::span<float> seed) {
    if (probe == 0) {
      std::ranges::copy(error, seed.begin());
      for (const float each : error) m_error += static_cast<double>(each) * each;
      return;
    }
    ProbeSigns signs(kGainSeed, m_feed.firstSample + sample, probe);
    for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = signs(i);
  }

  // So that now() has little left to run.
  void fillCache() const {
    std::vector<ValueId> wanted = m_setup.touched.values();
    wanted.push_back(m_setup.output);
    Evaluation run(m_setup.evaluator, m_sample, m_setup.keys, &m_setup.base.applied, wanted,
                   Evaluation::Keep::InCache);
    while (!run.finished()) {
      m_setup.job.throwIfCancelled();
      run.step();
      for (const ValueId made : run.made()) run.release(made);
    }
  }

  // Values of the quantized network as it is.
  Evaluation now(std::span<const ValueId> wanted) const {
    Evaluation run(m_setup.evaluator, m_sample, m_setup.keys, &m_setup.base.applied, wanted,
                   Evaluation::Keep::Nowhere);
    run.run(m_setup.job);
    return run;
  }

  void meet(const TouchedNode& touched, ValueId source, std::span<const Tensor> cotangents) {
    const Node& node = m_setup.engine().graph()[touched.node];
    std::vector<ValueId> wanted{source};
    std::ranges::copy_if(node.inputs, std::back_inserter(wanted), &ValueId::valid);
    const Evaluation known = now(wanted);
    const Tensor before = known.find(source).tensor;
    const Tensor after = runChanged(touched, node, known);
    const bool fit = before.defined() && after.defined() && isFloat(before.type()) &&
                     before.shape() == after.shape();
    Tensor difference;
    for (std::size_t probe = 0; fit && probe < cotangents.size(); ++probe) {
      const Tensor& g = cotangents[probe];
      if (!g.defined()) continue;
      if (!difference.defined() || difference.layout() != g.layout()) {
        difference = differenceOf(after, before, g.layout());
      }
      m_products[touched.change][probe] += innerProduct(g, difference);
      m_met[touched.change] = 1;
    }
  }

  Tensor runChanged(const TouchedNode& touched, const Node& node, const Evaluation& known) const {
    const Engine& engine = m_setup.engine();
    const Layout preferred = preferredLayout(*engine.kernel(touched.node));
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input.valid() ? tensorOf(known.find(input), preferred) : Tensor());
    }
    std::vector<Tensor> outputs(node.outputs.size());
    const AppliedNode* applied = touched.applied;
    runQuantizedNode(engine, touched.node, applied == nullptr ? nullptr : &applied->quantization,
                     m_feed.batch, inputs, outputs);
    return outputs[touched.output];
  }

  const GainSetup& m_setup;
  const Feed& m_feed;
  SampleInputs m_sample;
  std::vector<std::vector<double>> m_products;  // by change: with e, and with each probe
  std::vector<char> m_met;                      // by change
  double m_error = 0;
};

// Of the ratio of two sums over feeds, with the standard error of such a ratio.
std::optional<GainEstimate> gainOf(const std::vector<FeedEffect>& feeds, std::size_t change) {
  double error = 0;
  double changed = 0;
  double moved = 0;
  for (const FeedEffect& feed : feeds) {
    error += feed.error;
    changed += feed.changed[change];
    moved += feed.moved[change];
  }
  const double ratio = changed / error;
  double squares = 0;
  for (const FeedEffect& feed : feeds) {
    const double off = feed.changed[change] - ratio * feed.error;
    squares += off * off;
  }
  const auto count = static_cast<double>(feeds.size());
  GainEstimate gain;
  gain.gainDb = -10 * std::log10(1 + ratio);
  gain.errorDb =
      10 * std::numbers::log10e * std::sqrt(squares * count / (count - 1)) / (error * (1 + ratio));
  gain.moved = moved / error;
  const bool finite = std::isfinite(gain.gainDb) && std::isfinite(gain.errorDb);
  return finite && gain.errorDb >= 0 ? std::optional(gain) : std::nullopt;
}

}  // namespace

std::vector<std::optional<GainEstimate>> estimateGains(const Engine& engine,
                                                       const QuantizedModel& base, ValueId output,
                                                       std::span<const QuantizationChanges> changes,
                                                       SampleSet& samples, AnalysisMemory& memory,
                                                       JobContext& job) {
  TouchedNodes touched(engine, changes);
  const std::vector<ReverseSource> sources = touched.sources();
  const ReversePass pass(engine, {output}, sources);
  touched.leaveOut(pass);
  const Evaluator evaluator(engine, memory.activations);
  const ValueKeys keys(engine, &base.applied);
  const GainSetup setup{evaluator, base, keys, output, touched, changes.size(), job};
  std::vector<FeedEffect> feeds;
  job.beginStage("Estimating what suggestions gain", samples.sampleCount(), "samples");
  forEachFeed(
      samples, job,
      [&](const Feed& feed) {
        EffectOfFeed effect(setup, feed);
        pass.run(feed.inputs, effect, job.memoryBudget(), job);
        return effect.finish();
      },
      [&](const Feed& /*feed*/, FeedEffect&& effect) { feeds.push_back(std::move(effect)); });
  std::vector<std::optional<GainEstimate>> gains(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (touched.possible(i)) gains[i] = gainOf(feeds, i);
  }
  return gains;
}

}  // namespace quantscope
