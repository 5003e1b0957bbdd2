#include "precision/backend/backend_check.h"

#include <algorithm>
#include <map>

#include "graph/operator_traits.h"
#include "precision/backend/layer_tensors.h"
#include "precision/config/precision_words.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

class Check {
 public:
  explicit Check(const ConfiguredLayers& configured)
      : m_configured(configured), m_graph(configured.graph()) {}

  std::vector<NotSupported> run() {
    // Only what could be quantized on some machine can be refused by this one.
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      const FusedLayer& layer = m_configured.layers[i];
      const NodePrecision& asked = m_configured.config[layer.lead()];
      if (asked.float32 || !m_configured.quantizable(i)) continue;
      if (m_configured.backend.knows(m_graph[layer.lead()].op)) {
        checkWays(layer, asked);
      } else {
        refuse(layer, asked);
      }
    }
    return std::move(m_found);
  }

 private:
  void checkWays(const FusedLayer& layer, const NodePrecision& asked) {
    const Node& node = m_graph[layer.lead()];
    const LayerTensors tensors = layerTensors(m_configured.engine, node);
    std::optional<NearestPrecision> best =
        nearestPrecision(m_configured.backend, m_configured.engine, node, asked);
    addFixed(layer, *best);
    if (best->reasons.empty()) return;
    NotSupported entry{
        node.name, {}, {}, m_configured.backend.name + " runs " + node.op + " with ", {}};
    for (std::size_t i = 0; i < best->reasons.size(); ++i) {
      entry.reason += (i == 0 ? "" : ", ") + best->reasons[i];
    }
    if (!m_configured.quantized[layer.lead().at()]) entry.reason += " only: it stays float";
    describe(asked, *best, tensors, entry);
    m_found.push_back(std::move(entry));
  }

  // A hand-set range where the backend has a grid of its own.
  void addFixed(const FusedLayer& layer, NearestPrecision& nearest) const {
    TensorPrecision free = nearest.precision.output;
    if (!free.range) return;
    free.range.reset();
    if (!fixedGrid(m_configured.backend, m_graph[layer.last()].op, free)) return;
    nearest.precision.output = free;
    nearest.reasons.push_back("one fixed range of its output");
  }

  static void describe(const NodePrecision& asked, const NearestPrecision& nearest,
                       const LayerTensors& tensors, NotSupported& entry) {
    const auto add = [&](TensorRole role, const TensorPrecision& before,
                         const TensorPrecision& after, const std::string& whose) {
      if (before == after) return;
      const std::string separator = entry.asked.empty() ? "" : ", ";
      entry.asked += separator + whose + " " + words(before, role);
      entry.nearest += separator + whose + " " + words(after, role);
    };
    const NodePrecision& after = nearest.precision;
    if (tensors.weights) add(TensorRole::Weight, asked.weight, after.weight, "weights");
    const bool together = tensors.activations && tensors.outputs &&
                          asked.activation == asked.output && after.activation == after.output;
    if (tensors.activations) {
      add(TensorRole::Activation, asked.activation, after.activation,
          together ? "activations and outputs" : "activations");
    }
    if (tensors.outputs && !together) {
      add(TensorRole::Output, asked.output, after.output, "outputs");
    }
    entry.nearestPrecision = after;
  }

  // Reports a node that stays float; only an entry of its own is reported, not the default.
  void refuse(const FusedLayer& layer, const NodePrecision& asked) {
    if (m_configured.config.rule(layer.lead()).kind == PrecisionRule::Kind::Default) return;
    const Node& node = m_graph[layer.lead()];
    NotSupported entry{
        node.name,
        {},
        "fp32",
        m_configured.backend.name + " does not quantize " + node.op + ": it stays float",
        {}};
    const LayerTensors tensors = layerTensors(m_configured.engine, node);
    const auto add = [&](TensorRole role, const TensorPrecision& precision, bool present) {
      if (!present || !isQuantized(precision.type)) return;
      entry.asked += entry.asked.empty() ? "" : ", ";
      entry.asked += std::string(words(role)) + " " + words(precision, role);
    };
    add(TensorRole::Weight, asked.weight, tensors.weights);
    add(TensorRole::Activation, asked.activation, tensors.activations);
    add(TensorRole::Output, asked.output, tensors.outputs);
    if (entry.asked.empty()) return;
    entry.nearestPrecision.float32 = true;
    m_found.push_back(std::move(entry));
  }

  const ConfiguredLayers& m_configured;
  const Graph& m_graph;
  std::vector<NotSupported> m_found;
};

}  // namespace

std::vector<NotSupported> findNotSupported(const ConfiguredLayers& configured) {
  return Check(configured).run();
}

std::vector<std::string> sentences(const std::vector<NotSupported>& list) {
  std::map<std::string, std::size_t> kinds;
  std::vector<std::vector<const NotSupported*>> groups;
  for (const NotSupported& entry : list) {
    const auto [kind, isNew] =
        kinds.try_emplace(entry.asked + '\n' + entry.nearest + '\n' + entry.reason, groups.size());
    if (isNew) groups.emplace_back();
    groups[kind->second].push_back(&entry);
  }
  std::vector<std::string> result;
  for (const std::vector<const NotSupported*>& group : groups) {
    const NotSupported& first = *group.front();
    const std::size_t more = group.size() - 1;
    result.push_back("'" + first.node + "'" +
                     (more > 0 ? " and " + std::to_string(more) + " more ask" : " asks") + " for " +
                     first.asked + "; the nearest is " + first.nearest + ": " + first.reason);
  }
  return result;
}

std::vector<NotSupported> validateConfig(const Engine& engine, const PrecisionConfig& config,
                                         const Backend& backend) {
  const ResolvedConfig resolved(engine.graph(), config);
  return findNotSupported({engine, backend, resolved});
}

}  // namespace quantscope
