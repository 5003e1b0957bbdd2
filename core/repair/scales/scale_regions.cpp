#include "repair/scales/scale_regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/channel_axis.h"
#include "graph/operator_traits.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "repair/fixed_grids.h"
#include "repair/ranges/clip_bounds.h"
#include "repair/scales/channel_follower.h"

namespace quantscope {
namespace {

class RegionFinder {
 public:
  RegionFinder(const Engine& engine, const QuantizedModel& model, const LinearLayers& layers)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_layers(layers),
        m_axes(findChannelAxes(engine.graph())) {
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
      const LinearLayer& layer = layers.layers[i];
      m_layerOfLead[layer.lead] = i;
      if (layer.bias) m_biasHolders.insert(layer.bias->node);
    }
    // Quantization folds them into weights, those of layers that may not change too.
    for (const LayerQuantization& layer : model.layers) {
      const NodeId norm = normalizationOf(m_graph, layer.layer);
      if (norm.valid() && !layer.weights.empty()) m_neutral.insert(norm);
    }
  }

  // Why there is none, empty where there is one.
  std::string find(std::size_t maker, ScaleRegion& region) {
    const LinearLayer& layer = m_layers.layers[maker];
    const ValueId value = m_graph[layer.lead].outputs.at(0);
    return findFrom(value, layer.window ? 1 : lastAxis(value), layer.outputs, region);
  }

  // The same of the values that the layer reads.
  std::string findBefore(std::size_t reader, ScaleRegion& region) {
    const LinearLayer& layer = m_layers.layers[reader];
    return findFrom(layer.data, layer.window ? 1 : lastAxis(layer.data),
                    layer.inputs * layer.groups / layer.taps, region);
  }

  // Why what the layer makes or reads cannot be scaled, where that is a layer that may not change.
  std::string cutAt(std::size_t layer) {
    ScaleRegion region;
    m_cut.clear();
    find(layer, region);
    if (m_cut.empty()) findBefore(layer, region);
    return m_cut;
  }

  // Finds the region behind a node whose constants determine its channels; false if there is none.
  bool findBehind(NodeId maker, ScaleRegion& region) {
    const Node& node = m_graph[maker];
    if (node.block != Graph::mainBlock() || node.outputs.empty() || m_neutral.contains(maker)) {
      return false;
    }
    const std::optional<int> axis = madeAlong(node);
    const std::optional<Shape> extents = extentsOf(m_graph[node.outputs[0]]);
    if (!axis || !extents) return false;
    const auto count = static_cast<std::size_t>((*extents)[static_cast<std::size_t>(*axis)]);
    return findFrom(node.outputs[0], *axis, count, region).empty();
  }

 private:
  std::string findFrom(ValueId value, int axis, std::size_t channels, ScaleRegion& region) {
    m_region = {};
    m_handled.clear();
    ChannelFollower follower(m_engine);
    m_follower = &follower;
    const int rank = lastAxis(value) + 1;
    if (axis < 0 || axis >= rank) return "its channels cannot be followed";
    follower.start(value, ElementChannels::along(static_cast<std::size_t>(axis),
                                                 static_cast<std::size_t>(rank),
                                                 follower.newChannels(channels)));
    while (const std::optional<ValueId> next = follower.next()) visit(*next);
    m_region.values = follower.values();
    addClipped();
    const bool anyFree = numberChannels();
    region = std::move(m_region);
    if (anyFree && region.channels > 1) return {};
    // One factor for all of them changes no code.
    if (anyFree) return "all its channels would have one factor";
    return follower.whyFixed().empty() ? "no layer reads its output" : follower.whyFixed();
  }

  void addClipped() {
    for (const NodeId clip : m_region.clips) {
      const ValueId value = m_graph[clip].outputs.at(0);
      if (m_follower->find(value) == nullptr) continue;
      const auto rank = static_cast<std::size_t>(lastAxis(value) + 1);
      const auto axis = static_cast<std::size_t>(std::max(m_axes[value.at()].of(rank), 0));
      m_region.clipped.push_back({value, m_follower->channelsAlong(value, axis)});
    }
  }

  // Numbers the channels in the order of their classes; false where no layer reads one that may be
  // scaled.
  bool numberChannels() {
    const ChannelClasses& classes = m_follower->classes();
    std::map<std::uint32_t, std::uint32_t> numbers;
    const auto forEachList = [&](const auto& visit) {
      for (auto& each : m_region.makers) visit(each.channels);
      for (auto& each : m_region.readers) visit(each.channels);
      for (auto& each : m_region.making) visit(each.channels);
      for (auto& each : m_region.reading) visit(each.channels);
      for (auto& each : m_region.clipped) visit(each.channels);
    };
    forEachList([&](const std::vector<std::uint32_t>& channels) {
      for (const std::uint32_t channel : channels) numbers[classes.classOf(channel)] = 0;
    });
    for (auto& [root, number] : numbers) {
      number = static_cast<std::uint32_t>(m_region.fixed.size());
      m_region.fixed.push_back(classes.isFixed(root));
    }
    m_region.channels = numbers.size();
    forEachList([&](std::vector<std::uint32_t>& channels) {
      for (std::uint32_t& channel : channels) channel = numbers[classes.classOf(channel)];
    });
    const auto isFree = [&](std::uint32_t channel) { return !m_region.fixed[channel]; };
    return std::ranges::any_of(m_region.readers, [&](const ScaleRegion::Reader& reader) {
      return std::ranges::any_of(reader.channels, isFree);
    });
  }

  int lastAxis(ValueId value) const {
    const auto& shape = m_graph[value].type.shape;
    return shape ? static_cast<int>(shape->size()) - 1 : -1;
  }

  void visit(ValueId id) {
    const Value& value = m_graph[id];
    for (const Block& block : m_graph.blocks()) {
      if (std::ranges::find(block.outputs, id) == block.outputs.end()) continue;
      m_follower->fix(id, "'" + value.name + "' is an output");
    }
    if (m_layers.fixedValues.contains(id)) {
      m_follower->fix(id, fixedGridOf(value.name));
    }
    visitMaker(id);
    for (const NodeId reader : value.consumers) visitReader(id, reader);
  }

  void visitMaker(ValueId id) {
    const NodeId producer = m_graph[id].producer;
    if (!producer.valid()) {
      return m_follower->fix(id, "'" + m_graph[id].name + "' is given from outside");
    }
    if (fixAtTakenOut(id, producer)) return;
    const auto layer = m_layerOfLead.find(producer);
    if (layer != m_layerOfLead.end()) return takeMaker(producer, id, layer->second);
    if (!makesByConstants(producer, id)) pass(producer, id);
  }

  // What a layer makes or reads that may not change keeps its scale.
  bool fixAtTakenOut(ValueId id, NodeId lead) {
    const auto found = m_layers.takenOut.find(lead);
    if (found == m_layers.takenOut.end()) return false;
    addBetween(lead);
    m_cut = "the layer at its other end, '" + m_graph[lead].name + "', " + found->second;
    m_follower->fix(id, m_cut);
    return true;
  }

  void takeMaker(NodeId producer, ValueId id, std::size_t layer) {
    const LinearLayer& maker = m_layers.layers[layer];
    const bool biasFits = maker.bias.has_value() || !hasBias(producer);
    const std::size_t axis = maker.window ? 1 : static_cast<std::size_t>(lastAxis(id));
    if (!biasFits || m_graph[producer].outputs.at(0) != id) {
      return m_follower->fix(id, "the bias of '" + m_graph[producer].name + "' cannot be changed");
    }
    std::vector<std::uint32_t> channels = m_follower->channelsAlong(id, axis);
    if (channels.size() != maker.outputs) return m_follower->cannotFollow(id);
    m_region.makers.push_back({layer, std::move(channels)});
  }

  bool hasBias(NodeId node) const {
    const std::optional<std::size_t> slot = operatorTraits(m_graph[node]).biasSlot;
    const std::vector<ValueId>& inputs = m_graph[node].inputs;
    return slot && *slot < inputs.size() && inputs[*slot].valid();
  }

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
      if (constant == nullptr || constant->type() != ElementType::Float32) continue;
      const int rank = static_cast<int>(constant->shape().rank());
      for (int axis = rank - 1; axis >= 0; --axis) {
        const int place = axis + last + 1 - rank;
        if (place > 0 && constant->shape()[static_cast<std::size_t>(axis)] > 1) return place;
      }
    }
    return std::nullopt;
  }

  // Scale and shift of a normalization, or a factor.
  bool makesByConstants(NodeId id, ValueId output) {
    const Node& node = m_graph[id];
    const OperatorTraits& traits = operatorTraits(node);
    if (m_neutral.contains(id) || !node.domain.empty() || node.block != Graph::mainBlock()) {
      return false;
    }
    if (!traits.outputFactors.empty()) {
      for (const std::size_t slot : traits.outputFactors) {
        if (!takeVector(id, slot, output)) {
          m_follower->fix(output, "a factor of '" + node.name + "' cannot be changed");
        }
      }
      return true;
    }
    return traits.multiplies && takeFactors(id, output, m_region.making);
  }

  // An element per channel, whatever the rank of the values.
  bool takeVector(NodeId id, std::size_t slot, ValueId output) {
    const Node& node = m_graph[id];
    if (slot >= node.inputs.size() || !node.inputs[slot].valid()) return true;
    const Tensor* constant = m_engine.constant(node.inputs[slot]);
    const std::optional<int> axis = madeAlong(node);
    const std::optional<Shape> extents = extentsOf(m_graph[output]);
    if (constant == nullptr || constant->type() != ElementType::Float32 || !axis || !extents ||
        constant->shape().rank() != 1 ||
        constant->shape()[0] != (*extents)[static_cast<std::size_t>(*axis)]) {
      return false;
    }
    m_region.making.push_back(
        {id, slot, m_follower->channelsAlong(output, static_cast<std::size_t>(*axis))});
    return true;
  }

  // A constant operand whose elements each belong to one channel of `value`.
  bool takeFactors(NodeId id, ValueId value, std::vector<ScaleRegion::Factor>& factors) {
    const Node& node = m_graph[id];
    for (const std::size_t slot : {0, 1}) {
      if (slot < node.inputs.size() && takeFactor(id, slot, value, factors)) return true;
    }
    return false;
  }

  bool takeFactor(NodeId id, std::size_t slot, ValueId value,
                  std::vector<ScaleRegion::Factor>& factors) {
    const Tensor* constant = m_engine.constant(m_graph[id].inputs[slot]);
    const ElementChannels* map = m_follower->find(value);
    if (constant == nullptr || constant->type() != ElementType::Float32 || map == nullptr ||
        constant->elementCount() < 2 || !map->covers(constant->shape())) {
      return false;
    }
    factors.push_back({id, slot, map->channelsOf(constant->shape())});
    return true;
  }

  void visitReader(ValueId id, NodeId reader) {
    const Node& node = m_graph[reader];
    if (operatorTraits(node).readsShapeOnly) return;
    if (node.block != Graph::mainBlock()) return m_follower->fix(id, "a sub-graph reads it");
    if (fixAtTakenOut(id, reader)) return;
    const auto layer = m_layerOfLead.find(reader);
    if (layer == m_layerOfLead.end()) {
      if (operatorTraits(node).multiplies && node.domain.empty() &&
          takeFactors(reader, id, m_region.reading)) {
        return;
      }
      return pass(reader, id);
    }
    const LinearLayer& linear = m_layers.layers[layer->second];
    const int axis = linear.window ? 1 : lastAxis(id);
    const bool meets = linear.data == id && std::ranges::count(node.inputs, id) == 1 &&
                       meetsInputChannels(m_graph, node, linear.weightSlot, id, axis);
    if (!meets) {
      return m_follower->fix(id, "'" + node.name + "' does not read its channels as such");
    }
    std::vector<std::uint32_t> channels =
        m_follower->channelsAlong(id, static_cast<std::size_t>(axis));
    if (channels.size() * linear.taps != linear.inputs * linear.groups)
      return m_follower->cannotFollow(id);
    m_region.readers.push_back({layer->second, std::move(channels)});
  }

  void addBetween(NodeId id) {
    if (std::ranges::find(m_region.between, id) != m_region.between.end()) return;
    m_region.between.push_back(id);
  }

  // From one value of an operator to the others, or nowhere.
  void pass(NodeId id, ValueId from) {
    const Node& node = m_graph[id];
    addBetween(id);
    const OperatorTraits& traits = operatorTraits(node);
    const bool known = m_engine.executable(id) && node.domain.empty() &&
                       (node.outputs.size() == 1 || isDataMover(m_graph, node));
    const bool plain = from == node.outputs.at(0) || from == node.inputs.at(0);
    const bool isProduct =
        !traits.linearInputs.empty() && (traits.summedAxis == nullptr || !anyConstant(node));
    if (known && plain && (m_neutral.contains(id) || keepsElements(node) || takeClip(id))) {
      m_follower->relateElements(id, from);
    } else if (known && (isProduct || isPositivelyHomogeneous(m_graph, node))) {
      m_follower->relate(id, from);
      takeSummands(id);
    } else {
      m_follower->notProportional(id, from);
    }
  }

  bool keepsElements(const Node& node) const {
    return operatorTraits(node).keepsValues &&
           m_graph[node.inputs[0]].type.element == m_graph[node.outputs[0]].type.element;
  }

  bool anyConstant(const Node& node) const {
    return std::ranges::any_of(node.inputs,
                               [&](ValueId input) { return m_engine.constant(input) != nullptr; });
  }

  // Constants that are added to the channels, or compared with them.
  void takeSummands(NodeId id) {
    const Node& node = m_graph[id];
    const OperatorTraits& traits = operatorTraits(node);
    if (traits.combination == Combination::Concatenation || !traits.linearInputs.empty() ||
        isDataMover(m_graph, node) || m_biasHolders.contains(id) || !m_handled.insert(id).second) {
      return;
    }
    for (const std::size_t slot : activationInputs(m_engine, node)) {
      if (m_engine.constant(node.inputs[slot]) == nullptr) continue;
      if (traits.addsBias && takeFactor(id, slot, node.outputs[0], m_region.making)) continue;
      m_follower->fix(node.outputs[0], "a constant comes to it in '" + node.name + "'");
    }
  }

  bool takeClip(NodeId id) {
    const std::optional<double> most = clipFromZero(m_engine, m_graph[id]);
    if (!most) return false;
    m_region.ceiling = m_region.ceiling > 0 ? std::min(m_region.ceiling, *most) : *most;
    if (m_handled.insert(id).second) m_region.clips.push_back(id);
    return true;
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const LinearLayers& m_layers;
  std::vector<ChannelAxis> m_axes;  // by value
  std::map<NodeId, std::size_t> m_layerOfLead;
  std::set<NodeId> m_biasHolders;
  std::set<NodeId> m_neutral;
  // The current region.
  ScaleRegion m_region;
  ChannelFollower* m_follower = nullptr;
  std::set<NodeId> m_handled;  // nodes whose constants are taken, and clips
  std::string m_cut;           // see cutAt()
};

}  // namespace

std::set<NodeId> otherEnds(const Engine& engine, const QuantizedModel& model,
                           const LinearLayers& layers, const std::set<NodeId>& leads) {
  RegionFinder finder(engine, model, layers);
  std::set<NodeId> ends;
  const auto add = [&](const std::string& refusal, const ScaleRegion& region) {
    if (!refusal.empty()) return;
    for (const auto& maker : region.makers) ends.insert(layers.layers[maker.layer].lead);
    for (const auto& reader : region.readers) ends.insert(layers.layers[reader.layer].lead);
  };
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    if (!leads.contains(layers.layers[i].lead)) continue;
    ScaleRegion region;
    const std::string behind = finder.find(i, region);
    add(behind, region);
    const std::string before = finder.findBefore(i, region);
    add(before, region);
  }
  return ends;
}

ScaleRegions findScaleRegions(const Engine& engine, const QuantizedModel& model,
                              const LinearLayers& layers) {
  RegionFinder finder(engine, model, layers);
  ScaleRegions found;
  std::set<ValueId> taken;
  // What two regions scale, such as a product of values of both, only the first one may.
  const auto take = [&](ScaleRegion& region) {
    const auto isTaken = [&](ValueId value) { return taken.contains(value); };
    if (std::ranges::any_of(region.values, isTaken)) return false;
    taken.insert(region.values.begin(), region.values.end());
    found.regions.push_back(std::move(region));
    return true;
  };
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
    if (take(region)) continue;
    found.refused.push_back({engine.graph()[layers.layers[i].lead].name,
                             "what reads it is scaled with another layer's output"});
  }
  const auto isMade = [&](NodeId node) {
    return std::ranges::any_of(found.regions, [&](const ScaleRegion& region) {
      return std::ranges::find(region.making, node, &ScaleRegion::Factor::node) !=
             region.making.end();
    });
  };
  for (const NodeId node : engine.graph().main().nodes) {
    ScaleRegion region;
    if (!isMade(node) && finder.findBehind(node, region)) take(region);
  }
  const bool mayBeCut = found.regions.empty() && !layers.takenOut.empty();
  for (std::size_t i = 0; mayBeCut && i < layers.layers.size() && found.cut.empty(); ++i) {
    const std::string why = finder.cutAt(i);
    if (!why.empty()) found.cut = "of '" + engine.graph()[layers.layers[i].lead].name + "' " + why;
  }
  return found;
}

}  // namespace quantscope
