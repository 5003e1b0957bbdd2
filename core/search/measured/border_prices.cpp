#include "search/measured/border_prices.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/cost/model_time.h"

namespace quantscope {
namespace {

class BorderPrices {
 public:
  BorderPrices(const CostTable& costs, const Graph& graph, const QuantizedModel& model,
               SearchSpace& space)
      : m_costs(costs), m_graph(graph), m_model(model), m_space(space) {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for (const NodeId member : model.layers[i].layer.members) m_layers[member] = i;
    }
    for (std::size_t place = 0; place < space.layers.size(); ++place) {
      m_places[space.layers[place].layer] = place;
    }
  }

  void price() {
    for (std::size_t place = 0; place < m_space.layers.size(); ++place) {
      const FusedLayer& layer = m_model.layers[m_space.layers[place].layer].layer;
      for (const ValueId input : m_graph[layer.lead()].inputs) priceInput(place, input);
      const std::vector<ValueId>& outputs = m_graph[layer.last()].outputs;
      if (!outputs.empty() && outputs.front().valid()) priceOutput(place, outputs.front());
    }
  }

 private:
  const LayerQuantization* layerOf(NodeId node) const {
    const auto found = m_layers.find(node);
    return found == m_layers.end() ? nullptr : &m_model.layers[found->second];
  }
  bool isSearched(NodeId node) const {
    const auto layer = m_layers.find(node);
    return layer != m_layers.end() && m_places.contains(layer->second);
  }
  bool moves(NodeId node) const {
    const LayerQuantization* layer = layerOf(node);
    return layer != nullptr && layer->dataMover;
  }

  // Back through nodes that only move data.
  ValueId sourceOf(ValueId value) const {
    while (value.valid() && m_graph[value].producer.valid() && moves(m_graph[value].producer)) {
      value = m_graph[m_graph[value].producer].inputs.at(0);
    }
    return value;
  }

  void priceInput(std::size_t place, ValueId input) {
    const ValueId source = sourceOf(input);
    if (!source.valid() || m_graph[source].constant.defined()) return;
    const NodeId producer = m_graph[source].producer;
    if (producer.valid() && isSearched(producer)) return;  // a border of that layer
    const LayerQuantization* layer = producer.valid() ? layerOf(producer) : nullptr;
    const QuantType made = layer == nullptr ? QuantType::Float32 : computedType(*layer);
    for (LayerOption& option : m_space.layers[place].options) {
      option.time += conversionTime(m_costs, m_graph[source].name, made, option.computes);
    }
  }

  void priceOutput(std::size_t place, ValueId output) {
    std::set<QuantType> readAs;
    std::set<std::size_t> readers;
    std::vector<ValueId> open{output};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (std::ranges::find(m_graph.outputs(), value) != m_graph.outputs().end()) {
        readAs.insert(QuantType::Float32);
      }
      for (const NodeId reader : m_graph[value].consumers) {
        const LayerQuantization* layer = layerOf(reader);
        if (moves(reader)) {
          for (const ValueId moved : m_graph[reader].outputs) {
            if (moved.valid()) open.push_back(moved);
          }
        } else if (isSearched(reader)) {
          readers.insert(m_places.at(m_layers.at(reader)));
        } else {
          readAs.insert(layer == nullptr ? QuantType::Float32 : computedType(*layer));
        }
      }
    }
    const std::string& name = m_graph[output].name;
    for (LayerOption& option : m_space.layers[place].options) {
      for (const QuantType type : readAs) {
        option.time += conversionTime(m_costs, name, option.computes, type);
      }
    }
    const auto times = m_costs.conversions.find(name);
    if (times == m_costs.conversions.end()) return;
    const double slower = std::max(times->second.quantize, times->second.dequantize);
    for (const std::size_t reader : readers) {
      if (reader != place) m_space.borders.push_back({place, reader, slower});
    }
  }

  const CostTable& m_costs;
  const Graph& m_graph;
  const QuantizedModel& m_model;
  SearchSpace& m_space;
  std::map<NodeId, std::size_t> m_layers;       // in the model
  std::map<std::size_t, std::size_t> m_places;  // by layer: in the space
};

}  // namespace

void priceBorders(const CostTable& costs, const Graph& graph, const QuantizedModel& model,
                  SearchSpace& space) {
  BorderPrices(costs, graph, model, space).price();
}

}  // namespace quantscope
