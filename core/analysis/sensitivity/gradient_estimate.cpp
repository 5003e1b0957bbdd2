#include "analysis/sensitivity/gradient_estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "analysis/errors/error_metrics.h"
#include "analysis/errors/tensor_errors.h"
#include "analysis/layer_run.h"
#include "analysis/sensitivity/bent_path.h"
#include "analysis/sensitivity/probes.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"
#include "engine/gradients/reverse_pass.h"
#include "engine/gradients/reverse_path.h"
#include "engine/quantized_node.h"
#include "graph/channel_axis.h"

namespace quantscope {
namespace {

Tensor plainFloat(const Tensor& tensor) {
  return toFloat32(toLayout(tensor, Layout::Plain));
}

// Where a change meets the cotangents.
struct Site {
  std::size_t change;
  bool isLayer;              ///< else one of the other nodes
  NodeId node;               ///< its output is changed
  std::vector<NodeId> path;  ///< from there to the place of the comparison

  NodeId end() const { return path.empty() ? node : path.back(); }
};

// The contribution of one feed.
struct FeedShares {
  std::vector<std::optional<double>> signal;  // by output: Σy²; none = not real numbers
  std::vector<std::vector<double>> errors;    // by output and change: Σ over probes of (gᵀΔ)²
  std::vector<std::vector<ChannelSums>> local;  // by change and sample
};

using SitesByValue = std::map<ValueId, std::vector<Site>>;

class FeedEstimate final : public ReverseListener {
 public:
  FeedEstimate(const Engine& engine, std::span<const ValueId> outputs,
               std::span<const LayerChange> changes, const SitesByValue& sites, const Feed& feed,
               std::size_t probes, std::uint64_t seed, const std::vector<ChannelAxis>& channelAxes)
      : m_engine(engine),
        m_channelAxes(channelAxes),
        m_outputs(outputs),
        m_changes(changes),
        m_sites(sites),
        m_feed(feed),
        m_probes(probes),
        m_seed(seed) {
    m_shares.signal.resize(outputs.size());
    m_shares.errors.assign(outputs.size(), std::vector<double>(changes.size()));
    m_shares.local.assign(changes.size(), std::vector<ChannelSums>(feed.samples));
  }

  // The probes of one output after those of the other.
  std::vector<std::vector<Tensor>> begin(const Values& values) override {
    std::vector<std::vector<Tensor>> seeds;
    for (std::size_t output = 0; output < m_outputs.size(); ++output) {
      const Tensor found = values.find(m_outputs[output]).tensor;
      if (found.defined() && isFloat(found.type())) ask(output, plainFloat(found), seeds);
    }
    m_products.assign(m_changes.size(), std::vector<double>(seeds.size()));
    return seeds;
  }

  void take(ValueId source, std::span<const Tensor> cotangents, const Values& values) override {
    for (const Site& site : m_sites.at(source)) {
      const LayerChange& change = m_changes[site.change];
      const Tensor expected = values.find(outputOf(site.node)).tensor;
      if (!expected.defined() || !isFloat(expected.type())) continue;
      const Tensor actual = site.isLayer ? runChangedLayer(change, values)
                                         : runChangedNode(change, site.node, values);
      if (!actual.defined() || actual.shape() != expected.shape()) continue;
      if (site.isLayer) {
        const ChannelAxis axis = m_channelAxes[outputOf(site.node).at()];
        addErrors(expected, actual, axis, m_feed.batch, m_shares.local[site.change]);
      }
      if (std::ranges::none_of(cotangents, &Tensor::defined)) continue;
      meet(site, cotangents, runPath(change, site, actual, values), values.find(source).tensor);
    }
  }

  FeedShares finish() {
    for (std::size_t i = 0; i < m_changes.size(); ++i) {
      for (std::size_t probe = 0; probe < m_asked.size(); ++probe) {
        const double product = m_products[i][probe];
        m_shares.errors[m_asked[probe].output][i] += product * product * m_asked[probe].weight;
      }
    }
    return std::move(m_shares);
  }

 private:
  // What a probe goes back from.
  struct Asked {
    std::size_t output;
    double weight;  // of its square
  };

  void ask(std::size_t output, const Tensor& y, std::vector<std::vector<Tensor>>& seeds) {
    const std::size_t elements = y.elementCount() / samplesIn(y);
    const bool oneByOne = elements <= m_probes;
    const std::size_t probes = oneByOne ? elements : m_probes;
    for (std::size_t probe = 0; probe < probes; ++probe) {
      Tensor seed = Tensor::zeros(ElementType::Float32, y.shape());
      visitSamples(y, m_feed.batch, m_feed.samples,
                   [&](std::size_t sample, std::size_t first, std::size_t count) {
                     fill(seed.mutableValues<float>().subspan(first, count), sample, probe,
                          oneByOne);
                   });
      seeds.emplace_back(m_outputs.size())[output] = std::move(seed);
      m_asked.push_back({output, oneByOne ? 1 : 1 / static_cast<double>(probes)});
    }
    double signal = 0;
    visitSamples(y, m_feed.batch, m_feed.samples,
                 [&](std::size_t, std::size_t first, std::size_t count) {
                   for (const float value : y.values<float>().subspan(first, count)) {
                     const auto wide = static_cast<double>(value);
                     if (std::isfinite(wide)) signal += wide * wide;
                   }
                 });
    m_shares.signal[output] = signal;
  }

  std::size_t samplesIn(const Tensor& y) const {
    const bool batched = m_feed.batch > 1 && !y.shape().empty() &&
                         y.shape()[0] == static_cast<std::int64_t>(m_feed.batch);
    return batched ? m_feed.batch : 1;
  }

  void fill(std::span<float> seed, std::size_t sample, std::size_t probe, bool oneByOne) const {
    const std::uint64_t number = m_feed.firstSample + sample;
    ProbeSigns signs(m_seed, number, probe);
    if (oneByOne) {
      // A sign of its own, so that samples of one batch do not meet in a product.
      seed[probe] = signs(0);
      return;
    }
    for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = signs(i);
  }

  ValueId outputOf(NodeId node) const { return m_engine.graph()[node].outputs[0]; }

  void meet(const Site& site, std::span<const Tensor> cotangents, const Tensor& actual,
            const Tensor& expected) {
    if (!actual.defined() || actual.shape() != expected.shape()) return;
    Tensor difference;
    for (std::size_t probe = 0; probe < cotangents.size(); ++probe) {
      const Tensor& g = cotangents[probe];
      if (!g.defined()) continue;
      if (!difference.defined() || difference.layout() != g.layout()) {
        difference = differenceOf(actual, expected, g.layout());
      }
      const double product = innerProduct(g, difference);
      m_products[site.change][probe] +=
          std::isfinite(product) ? product : spoiltProduct(g, difference, expected);
    }
  }

  // The changed value at the end of the site's path.
  Tensor runPath(const LayerChange& change, const Site& site, Tensor value,
                 const Values& values) const {
    ValueId place = outputOf(site.node);
    for (const NodeId id : site.path) {
      const Node& node = m_engine.graph()[id];
      const Layout preferred = preferredLayout(*m_engine.kernel(id));
      std::vector<Tensor> inputs;
      for (const ValueId input : node.inputs) {
        inputs.push_back(input == place  ? value
                         : input.valid() ? tensorOf(values.find(input), preferred)
                                         : Tensor());
      }
      std::vector<Tensor> outputs(node.outputs.size());
      runQuantizedNode(m_engine, id, &(*change.applied)[id], m_feed.batch, inputs, outputs);
      value = outputs[0];
      place = node.outputs[0];
    }
    return value;
  }

  Tensor runChangedLayer(const LayerChange& change, const Values& values) const {
    return runLayer(m_engine, *change.layer, quantizationOf(*change.layer, *change.applied),
                    m_feed.batch, [&](NodeId node, std::size_t input, Layout preferred) {
                      return tensorOf(values.find(m_engine.graph()[node].inputs[input]), preferred);
                    });
  }

  Tensor runChangedNode(const LayerChange& change, NodeId id, const Values& values) const {
    const Node& node = m_engine.graph()[id];
    const Layout preferred = preferredLayout(*m_engine.kernel(id));
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input.valid() ? tensorOf(values.find(input), preferred) : Tensor());
    }
    std::vector<Tensor> outputs(node.outputs.size());
    runQuantizedNode(m_engine, id, &(*change.applied)[id], m_feed.batch, inputs, outputs);
    return outputs[0];
  }

  const Engine& m_engine;
  const std::vector<ChannelAxis>& m_channelAxes;
  std::span<const ValueId> m_outputs;
  std::span<const LayerChange> m_changes;
  const SitesByValue& m_sites;
  const Feed& m_feed;
  std::size_t m_probes;
  std::uint64_t m_seed;
  std::vector<Asked> m_asked;                   // by probe
  std::vector<std::vector<double>> m_products;  // by change and probe
  FeedShares m_shares;
};

// Finds the places where changes are compared, and the values that are read there.
class Sites {
 public:
  Sites(const Engine& engine, std::span<const LayerChange> changes) : m_engine(engine) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const LayerChange& change = changes[i];
      const NodeId last = change.layer->last();
      const std::vector<NodeId> path =
          bentPathBehind(engine, engine.graph()[last].outputs[0], change.others);
      add({i, true, last, path}, change.layer->members);
      for (const NodeId other : change.others) {
        const bool onPath = std::ranges::find(path, other) != path.end();
        if (!onPath) add({i, false, other, {}}, std::span(&other, 1));
      }
    }
  }

  const SitesByValue& byValue() const { return m_sites; }
  std::vector<ReverseSource> sources() const {
    std::vector<ReverseSource> sources;
    for (const auto& [value, beside] : m_beside) sources.push_back({value, beside});
    return sources;
  }

 private:
  // `members`: the nodes that make the changed value.
  void add(Site site, std::span<const NodeId> members) {
    const Graph& graph = m_engine.graph();
    std::vector<ValueId>& beside = m_beside[graph[site.end()].outputs[0]];
    beside.push_back(graph[site.node].outputs[0]);
    beside.push_back(graph[site.end()].outputs[0]);
    const auto readInputs = [&](NodeId node) {
      std::ranges::copy_if(graph[node].inputs, std::back_inserter(beside), &ValueId::valid);
    };
    std::ranges::for_each(members, readInputs);
    std::ranges::for_each(site.path, readInputs);
    m_sites[graph[site.end()].outputs[0]].push_back(std::move(site));
  }

  const Engine& m_engine;
  SitesByValue m_sites;
  std::map<ValueId, std::vector<ValueId>> m_beside;
};

bool runs(const Engine& engine, NodeId node) {
  const std::vector<ValueId>& outputs = engine.graph()[node].outputs;
  return engine.kernel(node) != nullptr && !outputs.empty() && outputs[0].valid() &&
         engine.graph()[node].block == Graph::mainBlock();
}

std::string whyNotEstimated(const Engine& engine, const LayerChange& change) {
  const auto allRun = [&](std::span<const NodeId> nodes) {
    return std::ranges::all_of(nodes, [&](NodeId node) { return runs(engine, node); });
  };
  if (allRun(change.layer->members) && allRun(change.others)) return {};
  return "gradient not available: the layer is inside a sub-graph or cannot be run";
}

}  // namespace

std::size_t probesFor(std::size_t samples, std::size_t outputs) {
  constexpr std::size_t kAltogether = 64;
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kLeast = 2;
  const std::size_t each = (kAltogether + samples - 1) / std::max<std::size_t>(1, samples);
  return std::clamp(each, kLeast, std::max(kLeast, kMost / std::max<std::size_t>(1, outputs)));
}

std::vector<ValueId> estimableOutputs(const Engine& engine, std::span<const ValueId> outputs,
                                      std::span<const LayerChange> changes) {
  std::vector<LayerChange> possible;
  std::ranges::copy_if(changes, std::back_inserter(possible), [&](const LayerChange& change) {
    return whyNotEstimated(engine, change).empty();
  });
  const std::vector<ReverseSource> sources = Sites(engine, possible).sources();
  std::vector<ValueId> estimable;
  for (const ValueId output : outputs) {
    const ReversePath path(engine, std::span(&output, 1), sources);
    const bool all = std::ranges::all_of(
        sources, [&](const ReverseSource& source) { return path.whyNot(source.value).empty(); });
    if (all) estimable.push_back(output);
    if (estimable.size() == kMostEstimatedOutputs) break;
  }
  if (estimable.empty() && !outputs.empty()) estimable.push_back(outputs.front());
  return estimable;
}

std::vector<EstimatedError> estimateErrors(const Engine& engine, std::span<const ValueId> outputs,
                                           std::span<const LayerChange> changes,
                                           SampleSource& samples, JobContext& job,
                                           const GradientEstimateSettings& settings) {
  std::vector<EstimatedError> estimates(changes.size());
  for (EstimatedError& estimate : estimates) estimate.sqnrDb.resize(outputs.size());
  std::vector<LayerChange> possible;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    estimates[i].whyNot = whyNotEstimated(engine, changes[i]);
    if (!estimates[i].whyNot.empty()) continue;
    possible.push_back(changes[i]);
    places.push_back(i);
  }
  if (possible.empty()) return estimates;
  const Sites sites(engine, possible);
  const std::vector<ReverseSource> sources = sites.sources();
  const ReversePass pass(engine, {outputs.begin(), outputs.end()}, sources);
  for (const auto& [value, each] : sites.byValue()) {
    for (const Site& site : each) {
      std::string& whyNot = estimates[places[site.change]].whyNot;
      if (whyNot.empty()) whyNot = pass.whyNot(value);
    }
  }
  const std::size_t probes =
      settings.probes > 0 ? settings.probes : probesFor(samples.sampleCount(), outputs.size());
  std::vector<std::optional<double>> signal(outputs.size());
  std::vector<std::vector<double>> errors(outputs.size(), std::vector<double>(possible.size()));
  const std::vector<ChannelAxis> channelAxes = findChannelAxes(engine.graph());
  std::vector<ChannelSums> local(possible.size());
  job.beginStage("Gradients", samples.sampleCount(), "samples");
  forEachFeed(
      samples, job,
      [&](const Feed& feed) {
        FeedEstimate estimate(engine, outputs, possible, sites.byValue(), feed, probes,
                              settings.seed, channelAxes);
        pass.run(feed.inputs, estimate, job.memoryBudget(), job);
        return estimate.finish();
      },
      [&](const Feed& /*feed*/, const FeedShares& shares) {
        for (std::size_t output = 0; output < outputs.size(); ++output) {
          if (!shares.signal[output]) continue;
          signal[output] = signal[output].value_or(0) + *shares.signal[output];
          for (std::size_t i = 0; i < possible.size(); ++i) {
            errors[output][i] += shares.errors[output][i];
          }
        }
        for (std::size_t i = 0; i < possible.size(); ++i) {
          for (const ChannelSums& each : shares.local[i]) addSample(local[i], each);
        }
      });
  for (std::size_t i = 0; i < possible.size(); ++i) {
    EstimatedError& estimate = estimates[places[i]];
    estimate.localSqnrDb = sqnrDb(total(local[i]));
    if (!estimate.whyNot.empty()) continue;
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      if (!signal[output]) continue;
      ErrorSums sums;
      sums.count = 1;
      sums.referenceSquared = *signal[output];
      sums.squaredError = errors[output][i];
      estimate.sqnrDb[output] = sqnrDb(sums);
    }
  }
  return estimates;
}

}  // namespace quantscope
