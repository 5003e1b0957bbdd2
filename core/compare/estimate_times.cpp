#include "compare/estimate_times.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/cost/layer_times.h"
#include "analysis/cost/model_time.h"
#include "graph/operator_traits.h"
#include "precision/config/layer_alone.h"

namespace quantscope {
namespace {

constexpr double kMicrosecondsPerMs = 1000;

bool hasCodes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return operatorTraits(node).codes.use != CodeUse::None;
  });
}

QuantType typeOfBits(int bits) {
  switch (bits) {
    case 16:
      return QuantType::Int16;
    case 4:
      return QuantType::Int4;
    case 2:
      return QuantType::Int2;
    default:
      return QuantType::Int8;
  }
}

/// What is known of the second model, by the first one's nodes and values.
class TwinTypes {
 public:
  TwinTypes(const Graph& first, const Graph& second, const ModelComparison& comparison)
      : m_graph(first) {
    for (const ComparedLayer& layer : comparison.layers) {
      const ValueId value = first.findValue(layer.firstValue);
      if (value.valid()) m_bits[value] = layer.output.bits;
      const NodeId node = nodeOf(first, layer.firstLayer);
      if (node.valid() && !layer.isInput) {
        m_layers[node] = {layer.weight.bits, computesCodes(second, layer.secondLayer)};
      }
    }
  }

  QuantType ofLayer(const FusedLayer& layer) const {
    const auto twin = std::ranges::find_if(
        layer.members, [&](NodeId member) { return m_layers.contains(member); });
    if (twin == layer.members.end()) return QuantType::Float32;
    const Twin& found = m_layers.at(*twin);
    const int read = bitsRead(layer.lead());
    if (read == 0 && !found.computesCodes) return QuantType::Float32;
    // Without weights it computes in what it reads.
    const int bits = found.weightBits > 0 ? found.weightBits : read;
    return bits == 0 && !found.computesCodes ? QuantType::Float32 : typeOfBits(bits);
  }

 private:
  struct Twin {
    int weightBits = 0;
    bool computesCodes = false;
  };

  static NodeId nodeOf(const Graph& graph, const std::string& layer) {
    const NodeId named = graph.findNode(layer);
    if (named.valid()) return named;
    const ValueId value = graph.findValue(layer);
    return value.valid() ? graph[value].producer : NodeId();
  }

  static bool computesCodes(const Graph& graph, const std::string& layer) {
    const NodeId node = nodeOf(graph, layer);
    return node.valid() && operatorTraits(graph[node]).codes.use == CodeUse::Computes;
  }

  // Of the widest codes that the node reads; 0 where one of its values is no code.
  int bitsRead(NodeId node) const {
    int bits = 0;
    for (const ValueId input : m_graph[node].inputs) {
      if (!input.valid() || m_graph[input].constant.defined()) continue;
      const auto found = m_bits.find(input);
      if (found == m_bits.end() || found->second == 0) return 0;
      bits = std::max(bits, found->second);
    }
    return bits;
  }

  const Graph& m_graph;
  std::unordered_map<ValueId, int> m_bits;
  std::unordered_map<NodeId, Twin> m_layers;
};

}  // namespace

EstimatedTimes estimateTimes(const Engine& first, const Engine& second,
                             const ModelComparison& comparison, const Feed& feed, JobContext& job) {
  if (hasCodes(first.graph())) {
    return {.firstMs = 0,
            .secondMs = 0,
            .problem = "the first model is quantized itself, and the cost table is of float ones"};
  }
  job.beginStage("Timing layers", 0);
  const QuantizedModel layers =
      quantizeModel(first, inFloat(Configuration()), Observations(), &job);
  const CostTable table = measureLayerTimes(first, layers, feed, job);
  const TwinTypes twins(first.graph(), second.graph(), comparison);
  std::vector<QuantType> types;
  for (const LayerQuantization& layer : layers.layers) types.push_back(twins.ofLayer(layer.layer));
  return {.firstMs = floatTime(table, first.graph(), layers) / kMicrosecondsPerMs,
          .secondMs = timeInTypes(table, first.graph(), layers, types) / kMicrosecondsPerMs,
          .problem = {}};
}

}  // namespace quantscope
