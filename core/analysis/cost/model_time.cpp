#include "analysis/cost/model_time.h"

#include <map>
#include <set>
#include <vector>

#include "base/configuration_error.h"
#include "precision/edits/type_choices.h"

namespace quantscope {
namespace {

/// The type that each value is made in.
class ValueTypes {
 public:
  ValueTypes(const Graph& graph, const QuantizedModel& model, std::span<const QuantType> ofLayers)
      : m_graph(graph),
        m_types(graph.values().size(), QuantType::Float32),
        m_ofLayer(ofLayers.begin(), ofLayers.end()) {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const LayerQuantization& layer = model.layers[i];
      if (layer.dataMover) m_ofLayer[i] = typeOfFirstInput(layer);
      for (const NodeId member : layer.layer.members) {
        for (const ValueId output : graph[member].outputs) {
          if (output.valid()) m_types[output.at()] = m_ofLayer[i];
        }
      }
    }
  }

  QuantType ofLayer(std::size_t layer) const { return m_ofLayer[layer]; }
  QuantType ofValue(ValueId value) const { return m_types[value.at()]; }

 private:
  QuantType typeOfFirstInput(const LayerQuantization& layer) const {
    const std::vector<ValueId>& inputs = m_graph[layer.layer.lead()].inputs;
    return inputs.empty() || !inputs.front().valid() ? QuantType::Float32
                                                     : m_types[inputs.front().at()];
  }

  const Graph& m_graph;
  std::vector<QuantType> m_types;    // by value
  std::vector<QuantType> m_ofLayer;  // by layer
};

double timeUnder(const CostTable& table, const Graph& graph, const QuantizedModel& model,
                 const ValueTypes& types) {
  double time = 0;
  std::set<std::pair<ValueId, QuantType>> converted;
  const auto read = [&](ValueId value, QuantType type) {
    if (!value.valid() || graph[value].constant.defined()) return;
    const QuantType made = types.ofValue(value);
    if (made == type || !converted.emplace(value, type).second) return;
    time += conversionTime(table, graph[value].name, made, type);
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const FusedLayer& layer = model.layers[i].layer;
    const QuantType type = types.ofLayer(i);
    time += layerTime(table, graph[layer.lead()].name, type);
    for (const ValueId input : graph[layer.lead()].inputs) read(input, type);
  }
  for (const ValueId output : graph.outputs()) read(output, QuantType::Float32);
  return time;
}

/// So many of all layers that may run in a type.
struct LayerShare {
  std::size_t some = 0;
  std::size_t all = 0;

  void count(bool counts) {
    some += counts ? 1 : 0;
    ++all;
  }
};

std::string sharesText(const std::map<QuantType, LayerShare>& shares) {
  std::string text;
  for (const auto& [type, share] : shares) {
    if (share.some == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name(type)) + " in " +
            std::to_string(share.some) + " of " + std::to_string(share.all) + " layers";
  }
  return text;
}

}  // namespace

QuantType computedType(const LayerQuantization& layer) {
  const bool rounds = layer.activation && isQuantized(layer.activation->type);
  if (!layer.quantized || layer.dataMover) return QuantType::Float32;
  if (!layer.edges.empty() && !rounds) return QuantType::Float32;
  if (layer.weight) return signedType(layer.weight->type);
  if (rounds) return signedType(layer.activation->type);
  return layer.output ? signedType(layer.output->type) : QuantType::Float32;
}

double layerTime(const CostTable& table, const std::string& node, QuantType type) {
  const auto layer = table.layers.find(node);
  if (layer == table.layers.end()) return 0;
  const auto time = layer->second.find(type);
  if (time != layer->second.end()) return time->second.microseconds;
  const auto inFloat = layer->second.find(QuantType::Float32);
  return inFloat == layer->second.end() ? 0 : inFloat->second.microseconds;
}

double conversionTime(const CostTable& table, const std::string& value, QuantType from,
                      QuantType to) {
  const auto times = table.conversions.find(value);
  if (from == to || times == table.conversions.end()) return 0;
  return (isQuantized(from) ? times->second.dequantize : 0) +
         (isQuantized(to) ? times->second.quantize : 0);
}

double modelTime(const CostTable& table, const Graph& graph, const QuantizedModel& model) {
  std::vector<QuantType> types;
  for (const LayerQuantization& layer : model.layers) types.push_back(computedType(layer));
  return timeInTypes(table, graph, model, types);
}

double floatTime(const CostTable& table, const Graph& graph, const QuantizedModel& model) {
  return timeInTypes(table, graph, model,
                     std::vector<QuantType>(model.layers.size(), QuantType::Float32));
}

double timeInTypes(const CostTable& table, const Graph& graph, const QuantizedModel& model,
                   std::span<const QuantType> types) {
  return timeUnder(table, graph, model, ValueTypes(graph, model, types));
}

void requireAllLayers(const CostTable& table, const Graph& graph, const QuantizedModel& model,
                      const std::string& source) {
  double inFloat = 0;
  for (const LayerQuantization& layer : model.layers) {
    const std::string& name = graph[layer.layer.lead()].name;
    if (name.empty()) continue;
    inFloat += layerTime(table, name, QuantType::Float32);
    if (table.layers.contains(name)) continue;
    throw Error(ErrorCode::InvalidConfiguration, "'layers' has no entry for '" + name + "'",
                {.file = source, .node = name, .value = {}},
                "write the table of this model with 'bench layers', and edit that");
  }
  if (inFloat > 0) return;
  throw configurationError("layers", "has no layer that takes any time in fp32",
                           "write microseconds above 0", source);
}

std::vector<std::string> timeNotices(const CostTable& table,
                                     const std::set<std::pair<std::string, QuantType>>& used) {
  std::map<QuantType, LayerShare> estimated;
  std::map<QuantType, LayerShare> missing;
  for (const auto& [node, type] : used) {
    const auto layer = table.layers.find(node);
    if (layer == table.layers.end()) continue;
    const auto time = layer->second.find(type);
    const bool known = time != layer->second.end();
    missing[type].count(!known);
    estimated[type].count(known && time->second.estimated);
  }
  std::vector<std::string> notices;
  if (const std::string shares = sharesText(estimated); !shares.empty()) {
    notices.push_back(
        "times that are estimated by what a layer reads and writes, for want of a kernel: " +
        shares);
  }
  if (const std::string shares = sharesText(missing); !shares.empty()) {
    notices.push_back("the cost table has no times of " + shares +
                      ": they are counted as those of fp32");
  }
  return notices;
}

std::vector<std::string> costNotices(const CostTable& table, const Graph& graph,
                                     const std::string& backend) {
  std::set<std::string> nodes;
  std::set<std::string> values;
  for (const Node& node : graph.nodes()) nodes.insert(node.name);
  for (const Value& value : graph.values()) values.insert(value.name);
  std::vector<std::string> notices;
  for (const auto& [name, times] : table.layers) {
    if (nodes.contains(name)) continue;
    notices.push_back("'layers." + name + "' of the cost table is no layer of the model");
  }
  for (const auto& [name, time] : table.conversions) {
    if (values.contains(name)) continue;
    notices.push_back("'conversions." + name + "' of the cost table is no value of the model");
  }
  if (!table.backend.empty() && table.backend != backend) {
    notices.push_back("the cost table is for the backend " + table.backend +
                      ", the configuration for " + backend);
  }
  if (table.conversions.empty()) {
    notices.push_back("the cost table has no 'conversions': they count as taking no time");
  }
  return notices;
}

}  // namespace quantscope
