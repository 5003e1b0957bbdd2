#include "repair/scales/scale_regions.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "graph/operator_traits.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "repair/ranges/clip_bounds.h"
#include "repair/scales/channel_classes.h"

namespace quantscope {
namespace {

/// How the channels of a value lie.
struct ChannelPlace {
  int axis = 1;
  std::size_t repeat = 1;
  std::vector<std::uint32_t> channels;  // of the classes

  bool liesLike(const ChannelPlace& other) const {
    return axis == other.axis && repeat == other.repeat && channels.size() == other.channels.size();
  }
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
    const LinearLayer& layer = m_layers.layers[maker];
    const ValueId value = m_graph[layer.lead].outputs.at(0);
    return findFrom(value, layer.window ? 1 : lastAxis(value), layer.outputs, region);
  }

  // Finds the region behind a node whose constants determine its channels; false if there is none.
  bool findBehind(NodeId maker, ScaleRegion& region) {
    const Node& node = m_graph[maker];
    if (node.block != Graph::mainBlock() || node.outputs.empty() || isNeutral(maker)) return false;
    const std::optional<int> axis = madeAlong(node);
    if (!axis) return false;
    const std::int64_t count = extent(node.outputs[0], *axis);
    return count > 0 &&
           findFrom(node.outputs[0], *axis, static_cast<std::size_t>(count), region).empty();
  }

 private:
  std::string findFrom(ValueId value, int axis, std::size_t channels, ScaleRegion& region) {
    m_region = {};
    m_classes = {};
    m_places.clear();
    m_open.clear();
    m_reason.clear();
    push(value, {axis, 1, m_classes.add(channels)});
    while (!m_open.empty() && m_reason.empty()) {
      const ValueId next = m_open.front();
      m_open.pop_front();
      visit(next, m_places.at(next));
    }
    if (m_reason.empty() && m_region.readers.empty()) m_reason = "no layer reads its output";
    if (m_reason.empty()) numberChannels();
    region = std::move(m_region);
    return m_reason;
  }

  void numberChannels() {
    m_region.channels = m_classes.number();
    const auto number = [&](auto& list) {
      for (auto& each : list) each.channels = m_classes.numbersOf(std::move(each.channels));
    };
    number(m_region.makers);
    number(m_region.readers);
    number(m_region.making);
    number(m_region.reading);
  }

  int lastAxis(ValueId value) const {
    const auto& shape = m_graph[value].type.shape;
    return shape ? static_cast<int>(shape->size()) - 1 : -1;
  }

  void refuse(std::string reason) {
    if (m_reason.empty()) m_reason = std::move(reason);
  }

  void push(ValueId value, ChannelPlace place) {
    const auto known = m_places.find(value);
    if (known != m_places.end()) {
      if (!known->second.liesLike(place)) {
        return refuse("its channels come together in different orders");
      }
      return m_classes.unite(known->second.channels, place.channels);
    }
    if (place.axis < 0 || extent(value, place.axis) !=
                              static_cast<std::int64_t>(place.channels.size() * place.repeat)) {
      return refuse("the channels of '" + m_graph[value].name + "' cannot be followed");
    }
    m_places.emplace(value, std::move(place));
    m_open.push_back(value);
    m_region.values.push_back(value);
  }

  std::int64_t extent(ValueId value, int axis) const {
    const auto& shape = m_graph[value].type.shape;
    if (!shape || axis < 0 || axis >= static_cast<int>(shape->size())) return -1;
    return (*shape)[static_cast<std::size_t>(axis)].extent;
  }

  void visit(ValueId id, const ChannelPlace& place) {
    const Value& value = m_graph[id];
    for (const Block& block : m_graph.blocks()) {
      if (std::ranges::find(block.outputs, id) == block.outputs.end()) continue;
      return refuse("'" + value.name + "' is an output");
    }
    visitMaker(id, place);
    for (const NodeId reader : value.consumers) visitReader(id, reader, place);
  }

  void visitMaker(ValueId id, const ChannelPlace& place) {
    const NodeId producer = m_graph[id].producer;
    if (!producer.valid()) return refuse("'" + m_graph[id].name + "' is given from outside");
    const auto layer = m_layerOfLead.find(producer);
    if (layer != m_layerOfLead.end()) return takeMaker(producer, id, layer->second, place);
    if (!makesByConstants(producer, place)) passBack(producer, place);
  }

  void takeMaker(NodeId producer, ValueId id, std::size_t layer, const ChannelPlace& place) {
    const LinearLayer& maker = m_layers.layers[layer];
    const bool biasFits = maker.bias.has_value() || !hasBias(producer);
    if (place.repeat != 1 || !biasFits || m_graph[producer].outputs.at(0) != id) {
      return refuse("the bias of '" + m_graph[producer].name + "' cannot be changed");
    }
    m_region.makers.push_back({layer, place.channels});
  }

  bool hasBias(NodeId node) const {
    const std::optional<std::size_t> slot = operatorTraits(m_graph[node]).biasSlot;
    const std::vector<ValueId>& inputs = m_graph[node].inputs;
    return slot && *slot < inputs.size() && inputs[*slot].valid();
  }

  bool isNeutral(NodeId id) const { return std::ranges::find(m_neutral, id) != m_neutral.end(); }

  // The axis of its output whose channels constants of the node make.
  std::optional<int> madeAlong(const Node& node) const {
    const OperatorTraits& traits = operatorTraits(node);
    if (!node.domain.empty()) return std::nullopt;
    const int last = lastAxis(node.outputs[0]);
    if (!traits.outputFactors.empty()) {
      return traits.channels == ChannelFlow::SecondAxis ? 1 : last;
    }
    if (!traits.multiplies) return std::nullopt;
    for (const ValueId input : node.inputs) {
      const Tensor* constant = m_engine.constant(input);
      if (constant == nullptr || constant->elementCount() < 2) continue;
      for (int axis = last; axis > 0; --axis) {
        const auto count =
            static_cast<std::size_t>(std::max<std::int64_t>(extent(node.outputs[0], axis), 0));
        if (axisOf(*constant, last + 1, {axis, 1, std::vector<std::uint32_t>(count)})) return axis;
      }
    }
    return std::nullopt;
  }

  // Where a constant that is broadcast against values of that rank has the channels.
  static std::optional<std::size_t> axisOf(const Tensor& constant, int rank,
                                           const ChannelPlace& place) {
    const int axis = place.axis - (rank - static_cast<int>(constant.shape().rank()));
    if (constant.type() != ElementType::Float32 || place.repeat != 1 || axis < 0 ||
        axis >= static_cast<int>(constant.shape().rank())) {
      return std::nullopt;
    }
    const auto index = static_cast<std::size_t>(axis);
    if (constant.shape()[index] != static_cast<std::int64_t>(place.channels.size())) {
      return std::nullopt;
    }
    return index;
  }

  bool takeFactor(NodeId id, std::size_t slot, const ChannelPlace& place,
                  std::vector<ScaleRegion::Factor>& factors) {
    const Node& node = m_graph[id];
    if (slot >= node.inputs.size() || !node.inputs[slot].valid()) return true;
    const Tensor* constant = m_engine.constant(node.inputs[slot]);
    const std::optional<std::size_t> axis =
        constant == nullptr ? std::nullopt
                            : axisOf(*constant, lastAxis(node.outputs[0]) + 1, place);
    if (axis) factors.push_back({id, slot, *axis, place.channels});
    return axis.has_value();
  }

  // Scale and shift of a normalization, or a factor.
  bool makesByConstants(NodeId id, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    const OperatorTraits& traits = operatorTraits(node);
    if (isNeutral(id) || !node.domain.empty() || node.block != Graph::mainBlock()) return false;
    if (!traits.outputFactors.empty()) {
      if (place.axis != madeAlong(node)) return false;
      for (const std::size_t slot : traits.outputFactors) {
        if (!takeVector(id, slot, place)) {
          refuse("a factor of '" + node.name + "' cannot be changed");
          return false;
        }
      }
      return true;
    }
    return traits.multiplies &&
           std::ranges::any_of(std::array<std::size_t, 2>{0, 1}, [&](std::size_t slot) {
             return slot < node.inputs.size() && m_engine.constant(node.inputs[slot]) != nullptr &&
                    takeFactor(id, slot, place, m_region.making);
           });
  }

  // An element per channel, whatever the rank of the values.
  bool takeVector(NodeId id, std::size_t slot, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    if (slot >= node.inputs.size() || !node.inputs[slot].valid()) return true;
    const Tensor* constant = m_engine.constant(node.inputs[slot]);
    if (constant == nullptr || constant->type() != ElementType::Float32 || place.repeat != 1 ||
        constant->shape().rank() != 1 || constant->elementCount() != place.channels.size()) {
      return false;
    }
    m_region.making.push_back({id, slot, 0, place.channels});
    return true;
  }

  void visitReader(ValueId id, NodeId reader, const ChannelPlace& place) {
    const Node& node = m_graph[reader];
    if (node.block != Graph::mainBlock()) return refuse("a sub-graph reads it");
    const auto layer = m_layerOfLead.find(reader);
    if (layer == m_layerOfLead.end()) return passOn(id, reader, place);
    const LinearLayer& linear = m_layers.layers[layer->second];
    const bool meets = linear.data == id && std::ranges::count(node.inputs, id) == 1 &&
                       meetsInputChannels(m_graph, node, linear.weightSlot, id, place.axis);
    if (!meets) return refuse("'" + node.name + "' does not read its channels as such");
    m_region.readers.push_back({layer->second, place.repeat, place.channels});
  }

  void passOn(ValueId from, NodeId id, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    if (operatorTraits(node).multiplies && node.domain.empty() && readsByFactor(id, place)) return;
    if (!mayCarry(id, place)) return;
    if (operatorTraits(node).combination == Combination::Concatenation) {
      return joinSlices(id, from, place);
    }
    push(node.outputs[0], placeBehind(id, place));
    if (m_reason.empty()) pushInputs(id, place);
  }

  bool readsByFactor(NodeId id, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    for (const std::size_t slot : {0, 1}) {
      if (slot >= node.inputs.size() || m_engine.constant(node.inputs[slot]) == nullptr) continue;
      if (takeFactor(id, slot, place, m_region.reading)) return true;
    }
    return false;
  }

  void passBack(NodeId id, const ChannelPlace& place) {
    if (!mayCarry(id, place)) return;
    if (operatorTraits(m_graph[id]).combination == Combination::Concatenation) {
      return splitSlices(id, place);
    }
    if (operatorTraits(m_graph[id]).reshapes) {
      // Its input was met first, or it is not known how its channels lie.
      if (!m_places.contains(m_graph[id].inputs[0])) {
        refuse("the channels before '" + m_graph[id].name + "' cannot be followed");
      }
      return;
    }
    pushInputs(id, place);
  }

  // The channels of a concatenation are those of its inputs, one after the other.
  void joinSlices(NodeId id, ValueId from, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    ChannelPlace all{place.axis, place.repeat, {}};
    for (const ValueId input : node.inputs) {
      const std::int64_t count = extent(input, place.axis);
      const auto known = m_places.find(input);
      const std::size_t channels = count < 0 ? 0 : static_cast<std::size_t>(count) / place.repeat;
      const std::vector<std::uint32_t> slice =
          input == from ? place.channels
          : known != m_places.end() && known->second.channels.size() == channels
              ? known->second.channels
              : m_classes.add(channels);
      all.channels.insert(all.channels.end(), slice.begin(), slice.end());
    }
    push(node.outputs[0], all);
    if (m_reason.empty()) splitSlices(id, all);
  }

  void splitSlices(NodeId id, const ChannelPlace& place) {
    std::size_t first = 0;
    for (const ValueId input : m_graph[id].inputs) {
      const std::int64_t count = extent(input, place.axis);
      const std::size_t channels = count < 0 ? 0 : static_cast<std::size_t>(count) / place.repeat;
      if (channels == 0 || first + channels > place.channels.size()) {
        return refuse("the channels before '" + m_graph[id].name + "' cannot be followed");
      }
      const auto begin = place.channels.begin() + static_cast<std::ptrdiff_t>(first);
      push(input,
           {place.axis, place.repeat,
            std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(channels))});
      first += channels;
    }
  }

  void pushInputs(NodeId id, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    if (operatorTraits(node).reshapes) return;
    for (const std::size_t slot : activationInputs(m_engine, node)) {
      const ValueId input = node.inputs[slot];
      if (m_engine.constant(input) == nullptr) {
        if (lastAxis(input) != lastAxis(node.outputs[0])) {
          return refuse("'" + node.name + "' repeats a smaller value");
        }
        push(input, place);
      } else if (scalesByNumber(node)) {
        continue;
      } else if (!m_biasHolders.contains(id) && !isTaken(id, slot) &&
                 !(operatorTraits(node).addsBias && takeFactor(id, slot, place, m_region.making))) {
        refuse("a constant comes to it in '" + node.name + "'");
      }
    }
  }

  bool isTaken(NodeId id, std::size_t slot) const {
    return std::ranges::any_of(m_region.making, [&](const ScaleRegion::Factor& factor) {
      return factor.node == id && factor.slot == slot;
    });
  }

  // Follows channels from [N, C, D1, …] to [N, C·D1·…], or anything whose last axis stays.
  ChannelPlace placeBehind(NodeId id, const ChannelPlace& place) const {
    const Node& node = m_graph[id];
    if (!operatorTraits(node).reshapes) return place;
    const auto& before = m_graph[node.inputs[0]].type.shape;
    const auto& after = m_graph[node.outputs[0]].type.shape;
    if (!before || !after || after->empty()) return {-1, 1, {}};
    const bool last = place.axis + 1 == static_cast<int>(before->size());
    if (last && place.axis > 0 && after->back() == before->back()) {
      return {static_cast<int>(after->size()) - 1, place.repeat, place.channels};
    }
    if (place.axis != 1 || after->size() < 2) return {-1, 1, {}};
    std::int64_t inner = 1;
    for (std::size_t axis = 2; axis < before->size(); ++axis) {
      if (!(*before)[axis].known()) return {-1, 1, {}};
      inner *= (*before)[axis].extent;
    }
    for (std::size_t axis = 2; axis < after->size(); ++axis) {
      if ((*after)[axis].extent != 1) return {-1, 1, {}};
    }
    return {1, place.repeat * static_cast<std::size_t>(inner), place.channels};
  }

  bool mayCarry(NodeId id, const ChannelPlace& place) {
    const Node& node = m_graph[id];
    if (std::ranges::find(m_region.between, id) == m_region.between.end()) {
      m_region.between.push_back(id);
    }
    const OperatorTraits& traits = operatorTraits(node);
    const bool known = m_engine.executable(id) && node.domain.empty() && node.outputs.size() == 1;
    if (known && (isNeutral(id) || scalesByNumber(node))) return true;
    const bool carries = traits.channels == ChannelFlow::Carried ||
                         traits.channels == ChannelFlow::SecondAxis || traits.reshapes;
    const bool homogeneous = isPositivelyHomogeneous(m_graph, node);
    const bool alongChannels =
        traits.combination != Combination::Concatenation || joinsAlong(node, place.axis);
    if (known && carries && homogeneous && alongChannels) return true;
    if (known && isClipFromZero(node)) {
      if (std::ranges::find(m_region.clips, id) == m_region.clips.end()) {
        m_region.clips.push_back(id);
      }
      return true;
    }
    refuse("'" + node.name + "' (" + node.op + ") is not proportional to its input");
    return false;
  }

  bool scalesByNumber(const Node& node) const {
    return operatorTraits(node).multiplies && std::ranges::any_of(node.inputs, [&](ValueId input) {
             const Tensor* constant = m_engine.constant(input);
             return constant != nullptr && constant->elementCount() == 1;
           });
  }

  bool joinsAlong(const Node& node, int axis) const {
    const std::int64_t along = node.integer("axis", 0);
    const std::int64_t rank = lastAxis(node.outputs[0]) + 1;
    return (along < 0 ? along + rank : along) == axis;
  }

  bool isClipFromZero(const Node& node) {
    const std::optional<double> most = clipFromZero(m_engine, node);
    if (!most) return false;
    m_region.ceiling = m_region.ceiling > 0 ? std::min(m_region.ceiling, *most) : *most;
    return true;
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const LinearLayers& m_layers;
  std::map<NodeId, std::size_t> m_layerOfLead;
  std::map<NodeId, std::size_t> m_biasHolders;
  std::vector<NodeId> m_neutral;
  // The current region.
  ScaleRegion m_region;
  ChannelClasses m_classes;
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
    for (const ScaleRegion::Maker& maker : region.makers) done[maker.layer] = true;
    found.regions.push_back(std::move(region));
  }
  const auto isMade = [&](NodeId node) {
    return std::ranges::any_of(found.regions, [&](const ScaleRegion& region) {
      return std::ranges::find(region.making, node, &ScaleRegion::Factor::node) !=
             region.making.end();
    });
  };
  for (const NodeId node : engine.graph().main().nodes) {
    ScaleRegion region;
    if (isMade(node) || !finder.findBehind(node, region)) continue;
    found.regions.push_back(std::move(region));
  }
  return found;
}

}  // namespace quantscope
