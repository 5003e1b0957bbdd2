#include "export/formats/shown_grids.h"

#include <map>
#include <set>

#include "precision/layers/folded_layer.h"

namespace quantscope {
namespace {

class GridCollector {
 public:
  GridCollector(const FormatInput& input, ExportLosses& losses)
      : m_input(input), m_graph(input.graph()), m_losses(losses) {}

  std::vector<ShownGrid> collect() {
    collectOutputs();
    collectEdges();
    for (const LayerQuantization& layer : m_input.model.layers) collectWeights(layer);
    return std::move(m_grids);
  }

 private:
  // Points in execution order; an output beats the edges behind it.
  void collectOutputs() {
    for (std::size_t i = 0; i < points().size(); ++i) {
      const std::optional<QuantParams>& params = paramsOf(m_input.model, i);
      if (points()[i].isOutput() && params) add(points()[i], *params);
    }
  }

  void collectEdges() {
    for (std::size_t i = 0; i < points().size(); ++i) {
      const QuantizationPoint& point = points()[i];
      const std::optional<QuantParams>& params = paramsOf(m_input.model, i);
      if (point.isOutput() || !params) continue;
      const auto known = m_byValue.find(point.value);
      if (known == m_byValue.end()) {
        add(point, *params);
      } else if (*known->second != *params) {
        m_losses.push_back({m_graph[point.consumer].name,
                            "it reads '" + m_graph[point.value].name +
                                "' on a grid of its own, where the target has one per tensor"});
      }
    }
  }

  const std::vector<QuantizationPoint>& points() const { return m_input.model.groups.points; }

  void add(const QuantizationPoint& point, const QuantParams& params) {
    const NodeId producer = m_graph[point.value].producer;
    const NodeId node = point.isOutput() ? producer : point.consumer;
    m_grids.push_back({m_graph[point.value].name,
                       node.valid() ? m_graph[node].name : "",
                       &params,
                       false,
                       false,
                       {}});
    m_byValue[point.value] = &params;
  }

  void collectWeights(const LayerQuantization& layer) {
    const Node& lead = m_graph[layer.layer.lead()];
    const bool folded = normalizationOf(m_graph, layer.layer).valid();
    for (const WeightParams& weight : layer.weights) {
      const ValueId value = lead.inputs.at(weight.input);
      if (!m_weights.insert(value).second) continue;
      const Tensor* constant = m_input.engine.constant(value);
      m_grids.push_back({m_graph[value].name, lead.name, &weight.params, true,
                         folded || layer.equalized,
                         constant == nullptr ? Shape() : constant->shape()});
    }
  }

  const FormatInput& m_input;
  const Graph& m_graph;
  ExportLosses& m_losses;
  std::vector<ShownGrid> m_grids;
  std::map<ValueId, const QuantParams*> m_byValue;
  std::set<ValueId> m_weights;
};

}  // namespace

std::string describe(const ShownGrid& grid) {
  return grid.isWeight ? "its weights" : "a value of it";
}

std::vector<ShownGrid> shownGrids(const FormatInput& input, ExportLosses& losses) {
  return GridCollector(input, losses).collect();
}

bool isQuantizedLayer(const LayerQuantization& layer) {
  return layer.quantized && (layer.weight || layer.activation || layer.output);
}

std::string weightTypeName(const LayerQuantization& layer) {
  return std::string(name(layer.weight ? layer.weight->type : QuantType::Float32));
}

std::string activationTypeName(const LayerQuantization& layer) {
  const std::optional<QuantParams>& params = layer.activation ? layer.activation : layer.output;
  return std::string(name(params ? params->type : QuantType::Float32));
}

std::string modulePath(const std::string& node) {
  if (!node.starts_with('/')) return {};
  std::string path;
  std::size_t first = 1;
  for (std::size_t slash = node.find('/', first); slash != std::string::npos;
       slash = node.find('/', first)) {
    const std::string part = node.substr(first, slash - first);
    path = path.empty() || part.starts_with(path + ".") ? part : path + "." + part;
    first = slash + 1;
  }
  return path;
}

}  // namespace quantscope
