#include "repair/scale_regions.h"

#include <algorithm>
#include <deque>
#include <map>

#include "graph/operator_traits.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

/// How the channels of a value lie.
struct ChannelPlace {
  int axis = 1;
  std::size_t repeat = 1;

  friend bool operator==(const ChannelPlace&, const ChannelPlace&) = default;
};

class RegionFinder {
 public:
  RegionFinder(const Engine& engine, const QuantizedModel& model, const LinearLayers& layers)
      : m_engine(engine), m_graph(engine.graph()), m_layers(layers) {
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
      const LinearLayer& layer = layers.layers[i];
      m_layerOfLead[layer.lead] = i;
      if (layer.bias) m_biasHolders[layer.bias->node] = i;
      const NodeId norm = normalizationOf(m_graph, model.layers[layer.index].layer);
      if (norm.valid()) m_neutral.push_back(norm);
    }
  }

  // Why there is none, empty where there is one.
  std::string find(std::size_t maker, ScaleRegion& region) {
    m_region = {};
    m_places.clear();
    m_open.clear();
    m_reason.clear();
    m_region.channels = m_layers.layers[maker].outputs;
    const LinearLayer& layer = m_layers.layers[maker];
    const ValueId value = m_graph[layer.lead].outputs.at(0);
    push(value, {layer.window ? 1 : lastAxis(value), 1});
    while (!m_open.empty() && m_reason.empty()) {
      const ValueId next = m_open.front();
      m_open.pop_front();
      visit(next, m_places.at(next));
    }
    if (m_reason.empty() && m_region.readers.empty()) m_reason = "no layer reads its output";
    region = std::move(m_region);
    return m_reason;
  }

 private:
  int lastAxis(ValueId value) const {
    const auto& shape = m_graph[value].type.shape;
    return shape ? static_cast<int>(shape->size()) - 1 : -1;
  }

  void refuse(std::string reason) {
    if (m_reason.empty()) m_reason = std::move(reason);
  }

  void push(ValueId value, ChannelPlace place) {
    const auto [known, isNew] = m_places.try_emplace(value, place);
    if (!isNew) {
      if (known->second != place) refuse("its channels come together in different orders");
      return;
    }
    if (place.axis < 0 ||
        extent(value, place.axis) != static_cast<std::int64_t>(m_region.channels * place.repeat)) {
      return refuse("the channels of '" + m_graph[value].name + "' cannot be followed");
    }
    m_open.push_back(value);
    m_region.values.push_back(value);
  }

  std::int64_t extent(ValueId value, int axis) const {
    const auto& shape = m_graph[value].type.shape;
    if (!shape || axis >= static_cast<int>(shape->size())) return -1;
    return (*shape)[static_cast<std::size_t>(axis)].extent;
  }

  void visit(ValueId id, ChannelPlace place) {
    const Value& value = m_graph[id];
    for (const Block& block : m_graph.blocks()) {
      if (std::ranges::find(block.outputs, id) == block.outputs.end()) continue;
      return refuse("'" + value.name + "' is an output");
    }
    visitMaker(id, place);
    for (const NodeId reader : value.consumers) visitReader(id, reader, place);
  }

  void visitMaker(ValueId id, ChannelPlace place) {
    const NodeId producer = m_graph[id].producer;
    if (!producer.valid()) return refuse("'" + m_graph[id].name + "' is given from outside");
    const auto layer = m_layerOfLead.find(producer);
    if (layer == m_layerOfLead.end()) return passBack(producer, place);
    const LinearLayer& maker = m_layers.layers[layer->second];
    const bool biasFits = maker.bias.has_value() || !hasBias(producer);
    if (place.repeat != 1 || !biasFits || m_graph[producer].outputs.at(0) != id) {
      return refuse("the bias of '" + m_graph[producer].name + "' cannot be changed");
    }
    m_region.makers.push_back(layer->second);
  }

  bool hasBias(NodeId node) const {
    const std::optional<std::size_t> slot = operatorTraits(m_graph[node]).biasSlot;
    const std::vector<ValueId>& inputs = m_graph[node].inputs;
    return slot && *slot < inputs.size() && inputs[*slot].valid();
  }

  void visitReader(ValueId id, NodeId reader, ChannelPlace place) {
    const Node& node = m_graph[reader];
    if (node.block != Graph::mainBlock()) return refuse("a sub-graph reads it");
    const auto layer = m_layerOfLead.find(reader);
    if (layer == m_layerOfLead.end()) return passOn(reader, place);
    const LinearLayer& linear = m_layers.layers[layer->second];
    const bool meets = linear.data == id && std::ranges::count(node.inputs, id) == 1 &&
                       meetsInputChannels(m_graph, node, linear.weightSlot, id, place.axis);
    if (!meets) return refuse("'" + node.name + "' does not read its channels as such");
    m_region.readers.push_back({layer->second, place.repeat});
  }

  void passOn(NodeId id, ChannelPlace place) {
    if (!mayCarry(id)) return;
    push(m_graph[id].outputs[0], placeBehind(id, place));
    if (m_reason.empty()) pushInputs(id, place);
  }

  void passBack(NodeId id, ChannelPlace place) {
    if (!mayCarry(id)) return;
    if (operatorTraits(m_graph[id]).reshapes) {
      // Its input was met first, or it is not known how its channels lie.
      if (!m_places.contains(m_graph[id].inputs[0])) {
        refuse("the channels before '" + m_graph[id].name + "' cannot be followed");
      }
      return;
    }
    pushInputs(id, place);
  }

  void pushInputs(NodeId id, ChannelPlace place) {
    const Node& node = m_graph[id];
    if (operatorTraits(node).reshapes) return;
    for (const std::size_t slot : activationInputs(m_engine, node)) {
      const ValueId input = node.inputs[slot];
      if (m_engine.constant(input) == nullptr) {
        push(input, place);
      } else if (!m_biasHolders.contains(id)) {
        refuse("a constant comes to it in '" + node.name + "'");
      }
    }
  }

  // Of [N, C, D1, …] to [N, C·D1·…].
  ChannelPlace placeBehind(NodeId id, ChannelPlace place) const {
    const Node& node = m_graph[id];
    if (!operatorTraits(node).reshapes) return place;
    const auto& before = m_graph[node.inputs[0]].type.shape;
    const auto& after = m_graph[node.outputs[0]].type.shape;
    if (!before || !after || place.axis != 1 || after->size() < 2) return {-1, 1};
    std::int64_t inner = 1;
    for (std::size_t axis = 2; axis < before->size(); ++axis) {
      if (!(*before)[axis].known()) return {-1, 1};
      inner *= (*before)[axis].extent;
    }
    for (std::size_t axis = 2; axis < after->size(); ++axis) {
      if ((*after)[axis].extent != 1) return {-1, 1};
    }
    return {1, place.repeat * static_cast<std::size_t>(inner)};
  }

  bool mayCarry(NodeId id) {
    const Node& node = m_graph[id];
    const OperatorTraits& traits = operatorTraits(node);
    const bool known = m_engine.executable(id) && node.domain.empty() && node.outputs.size() == 1;
    if (known && std::ranges::find(m_neutral, id) != m_neutral.end()) return true;
    const bool carries = traits.channels == ChannelFlow::Carried ||
                         traits.channels == ChannelFlow::SecondAxis || traits.reshapes;
    const bool homogeneous = isPositivelyHomogeneous(m_graph, node);
    if (known && carries && homogeneous && traits.combination != Combination::Concatenation) {
      return true;
    }
    if (known && isClipFromZero(node)) {
      if (std::ranges::find(m_region.clips, id) == m_region.clips.end()) {
        m_region.clips.push_back(id);
      }
      return true;
    }
    refuse("'" + node.name + "' (" + node.op + ") is not proportional to its input");
    return false;
  }

  bool isClipFromZero(const Node& node) {
    if (!operatorTraits(node).clips) return false;
    const auto bound = [&](const char* attribute, std::size_t slot) -> std::optional<float> {
      if (node.has(attribute)) return node.real(attribute, 0);
      if (slot >= node.inputs.size() || !node.inputs[slot].valid()) return std::nullopt;
      const Tensor* constant = m_engine.constant(node.inputs[slot]);
      if (constant == nullptr || constant->type() != ElementType::Float32) return std::nullopt;
      return constant->elementCount() == 1 ? std::optional(constant->values<float>()[0])
                                           : std::nullopt;
    };
    const std::optional<float> low = bound("min", 1);
    const std::optional<float> high = bound("max", 2);
    if (!low || *low != 0 || !high || !(*high > 0)) return false;
    m_region.ceiling = m_region.ceiling > 0 ? std::min<double>(m_region.ceiling, *high) : *high;
    return true;
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const LinearLayers& m_layers;
  std::map<NodeId, std::size_t> m_layerOfLead;
  std::map<NodeId, std::size_t> m_biasHolders;
  std::vector<NodeId> m_neutral;
  // Of the region at hand.
  ScaleRegion m_region;
  std::map<ValueId, ChannelPlace> m_places;
  std::deque<ValueId> m_open;
  std::string m_reason;
};

}  // namespace

ScaleRegions findScaleRegions(const Engine& engine, const QuantizedModel& model,
                              const LinearLayers& layers) {
  RegionFinder finder(engine, model, layers);
  ScaleRegions found;
  std::vector<bool> done(layers.layers.size(), false);
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    if (done[i]) continue;
    ScaleRegion region;
    const std::string reason = finder.find(i, region);
    if (!reason.empty()) {
      found.refused.push_back({engine.graph()[layers.layers[i].lead].name, reason});
      continue;
    }
    for (const std::size_t maker : region.makers) done[maker] = true;
    found.regions.push_back(std::move(region));
  }
  return found;
}

}  // namespace quantscope
