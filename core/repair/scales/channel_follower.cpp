#include "repair/scales/channel_follower.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// As many places as a float32 tells apart.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 24;

std::vector<bool> allBut(std::size_t axis, std::size_t rank) {
  std::vector<bool> axes(rank, true);
  if (axis < rank) axes[axis] = false;
  return axes;
}

bool fits(const ElementChannels& map, const Shape& extents) {
  if (map.kept().rank() != extents.rank()) return false;
  for (std::size_t axis = 0; axis < extents.rank(); ++axis) {
    if (map.kept()[axis] != 1 && map.kept()[axis] != extents[axis]) return false;
  }
  return true;
}

}  // namespace

std::optional<Shape> extentsOf(const Value& value) {
  const auto& shape = value.type.shape;
  if (!shape || shape->size() > Shape::kMaxRank) return std::nullopt;
  Shape extents;
  for (const Dimension& dimension : *shape) {
    extents.append(dimension.known() ? dimension.extent : 1);
    if (extents.back() == 0) return std::nullopt;
  }
  return extents;
}

void ChannelFollower::start(ValueId value, ElementChannels map) {
  push(value, std::move(map));
}

std::optional<ValueId> ChannelFollower::next() {
  if (m_open.empty() || !m_classes.anyFree()) return std::nullopt;
  const ValueId value = m_open.front();
  m_open.pop_front();
  return value;
}

const ElementChannels* ChannelFollower::find(ValueId value) const {
  const auto found = m_maps.find(value);
  return found == m_maps.end() ? nullptr : &found->second;
}

std::vector<std::uint32_t> ChannelFollower::channelsAlong(ValueId value, std::size_t axis) {
  ElementChannels& map = m_maps.at(value);
  map = map.mergedAlong(allBut(axis, map.kept().rank()), m_classes);
  const ElementChannels all = map.unfoldedAlong(axis, (*extentsOf(m_graph[value]))[axis]);
  return {all.channels().begin(), all.channels().end()};
}

void ChannelFollower::relate(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  const OperatorTraits& traits = operatorTraits(node);
  if (!traits.linearInputs.empty()) return relateProduct(id, from);
  const auto isFrom = [&](std::size_t slot) { return node.inputs[slot] == from; };
  const bool fromInput = std::ranges::find(node.outputs, from) == node.outputs.end();
  if (fromInput && node.inputs[0] != from &&
      std::ranges::none_of(activationInputs(m_engine, node), isFrom)) {
    return fix(from, "'" + node.name + "' (" + node.op + ") reads it as something else");
  }
  if (m_related.contains(id)) return;
  const std::optional<Shape> before = extentsOf(m_graph[node.inputs[0]]);
  const std::optional<Shape> after = extentsOf(m_graph[node.outputs[0]]);
  if (!before || !after) return cannotFollow(from);
  const bool perChannel = traits.channels == ChannelFlow::SecondAxis && before->rank() > 1 &&
                          after->rank() > 1 && (*before)[1] == (*after)[1];
  if (traits.combination == Combination::Concatenation) return relateJoined(id, from);
  if (traits.reshapes) return relateReshaped(id, from);
  if (traits.reduces) return relateMerged(id, from, reducedAxes(node, before->rank()));
  if (perChannel) return relateMerged(id, from, allBut(1, before->rank()));
  if (isDataMover(m_graph, node)) return relateMoved(id, from);
  relateElements(id, from);
}

// All inputs and the output, as they are broadcast against each other.
void ChannelFollower::relateElements(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  if (from != node.outputs[0]) relateAligned(from, node.outputs[0]);
  for (const std::size_t slot : activationInputs(m_engine, node)) {
    const ValueId input = node.inputs[slot];
    if (m_engine.constant(input) == nullptr) relateAligned(input, node.outputs[0]);
  }
}

void ChannelFollower::fix(ValueId value, std::string reason) {
  if (const ElementChannels* map = find(value)) fixMap(*map, std::move(reason));
}

void ChannelFollower::push(ValueId value, ElementChannels map) {
  const auto known = m_maps.find(value);
  if (known != m_maps.end()) return unite(known->second, map, m_classes);
  const std::optional<Shape> extents = extentsOf(m_graph[value]);
  map = map.compressed(m_classes);
  if (!extents || !fits(map, *extents)) {
    return fixMap(map, "the channels of '" + m_graph[value].name + "' cannot be followed");
  }
  m_maps.emplace(value, std::move(map));
  m_open.push_back(value);
  m_values.push_back(value);
}

void ChannelFollower::fixMap(const ElementChannels& map, std::string reason) {
  if (m_reason.empty()) m_reason = std::move(reason);
  for (const std::uint32_t channel : map.channels()) m_classes.fix(channel);
}

void ChannelFollower::cannotFollow(ValueId value) {
  fix(value, "the channels of '" + m_graph[value].name + "' cannot be followed");
}

void ChannelFollower::notProportional(NodeId id, ValueId value) {
  const Node& node = m_graph[id];
  fix(value, "'" + node.name + "' (" + node.op + ") is not proportional to its input");
}

// Where an axis is broadcast or resampled, all that lies along it is one channel.
std::optional<ElementChannels> ChannelFollower::aligned(ValueId from, ValueId to) {
  const std::optional<Shape> before = extentsOf(m_graph[from]);
  const std::optional<Shape> after = extentsOf(m_graph[to]);
  if (!before || !after) return std::nullopt;
  std::vector<bool> differs(before->rank(), true);
  for (std::size_t i = 1; i <= std::min(before->rank(), after->rank()); ++i) {
    differs[before->rank() - i] = (*before)[before->rank() - i] != (*after)[after->rank() - i];
  }
  return m_maps.at(from).mergedAlong(differs, m_classes).withRank(after->rank());
}

void ChannelFollower::relateAligned(ValueId in, ValueId out) {
  const bool forward = m_maps.contains(in);
  if (!forward && !m_maps.contains(out)) return;
  const ValueId from = forward ? in : out;
  const ValueId to = forward ? out : in;
  const std::optional<ElementChannels> map = aligned(from, to);
  if (!map) return cannotFollow(from);
  push(to, *map);
}

// Linear in each of two values as long as only one of them has the channels.
void ChannelFollower::relateProduct(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  if (node.outputs[0] == from) return relateToOperand(id);
  const std::vector<std::size_t>& linear = operatorTraits(node).linearInputs;
  std::size_t scaled = 0;
  for (const ValueId input : node.inputs) scaled += m_maps.contains(input) ? 1 : 0;
  for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
    if (node.inputs[slot] != from) continue;
    if (scaled == 1 && std::ranges::find(linear, slot) != linear.end()) {
      relateToOutput(id, slot);
    } else {
      for (const ValueId input : node.inputs) notProportional(id, input);
      notProportional(id, node.outputs[0]);
    }
  }
}

void ChannelFollower::relateToOutput(NodeId id, std::size_t slot) {
  const Node& node = m_graph[id];
  const OperatorTraits& traits = operatorTraits(node);
  const ValueId input = node.inputs[slot];
  const std::optional<Shape> extents = extentsOf(m_graph[input]);
  if (traits.summedAxis != nullptr && extents) {
    const std::optional<Shape> other = extentsOf(m_graph[node.inputs[1 - slot]]);
    if (extents->rank() < 2 || !other || other->rank() < 2) return cannotFollow(input);
    const auto summed =
        static_cast<std::size_t>(traits.summedAxis(node, 1 - slot, extents->rank()));
    std::vector<bool> axes(extents->rank(), false);
    axes[summed] = true;
    ElementChannels& map = m_maps.at(input);
    map = map.mergedAlong(axes, m_classes);
  }
  relateAligned(input, node.outputs[0]);
}

// One operand makes the channels of the product: the one that has them already, else the larger.
void ChannelFollower::relateToOperand(NodeId id) {
  const Node& node = m_graph[id];
  const OperatorTraits& traits = operatorTraits(node);
  const auto isKnown = [&](ValueId input) { return m_maps.contains(input); };
  if (std::ranges::any_of(node.inputs, isKnown)) return;
  std::optional<std::size_t> chosen;
  std::int64_t most = 0;
  bool clear = true;
  for (const std::size_t slot : traits.linearInputs) {
    if (slot >= node.inputs.size() || m_engine.constant(node.inputs[slot]) != nullptr) continue;
    const std::optional<Shape> extents = extentsOf(m_graph[node.inputs[slot]]);
    const std::int64_t count = extents ? extents->elementCount() : 0;
    clear = count != most;
    if (count <= most) continue;
    most = count;
    chosen = slot;
  }
  if (!chosen || !clear || traits.summedAxis != nullptr) {
    return fix(node.outputs[0],
               "it is not known which operand of '" + node.name + "' makes its channels");
  }
  relateAligned(node.inputs[*chosen], node.outputs[0]);
}

// One input, of which what lies along some axes is computed together.
void ChannelFollower::relateMerged(NodeId id, ValueId from, const std::vector<bool>& axes) {
  const Node& node = m_graph[id];
  const std::size_t before = extentsOf(m_graph[node.inputs[0]])->rank();
  const std::size_t after = extentsOf(m_graph[node.outputs[0]])->rank();
  std::vector<std::size_t> left;  // axes of the input that the output has
  for (std::size_t axis = 0; axis < before; ++axis) {
    if (before == after || !axes[axis]) left.push_back(axis);
  }
  if (left.size() != after) return cannotFollow(from);
  if (from == node.inputs[0]) {
    ElementChannels& map = m_maps.at(from);
    map = map.mergedAlong(axes, m_classes);
    Shape kept;
    for (const std::size_t axis : left) kept.append(map.kept()[axis]);
    return push(node.outputs[0], {kept, {map.channels().begin(), map.channels().end()}});
  }
  std::vector<bool> along(after, false);
  for (std::size_t i = 0; i < after; ++i) along[i] = axes[left[i]];
  ElementChannels& map = m_maps.at(from);
  map = map.mergedAlong(along, m_classes);
  Shape kept = Shape::filled(before, 1);
  for (std::size_t i = 0; i < after; ++i) kept[left[i]] = map.kept()[i];
  push(node.inputs[0], {kept, {map.channels().begin(), map.channels().end()}});
}

void ChannelFollower::relateReshaped(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  const ValueId to = from == node.outputs[0] ? node.inputs[0] : node.outputs[0];
  const Shape before = *extentsOf(m_graph[from]);
  const Shape after = *extentsOf(m_graph[to]);
  if (!sameUnknown(from, to)) return relateLastAxes(from, to);
  const std::int64_t count = before.elementCount();
  if (count != after.elementCount() || count > kMostPlaces) return cannotFollow(from);
  push(to, m_maps.at(from).reshaped(before, after));
}

// True where all extents are known but for the first of both values, which is the same then.
bool ChannelFollower::sameUnknown(ValueId a, ValueId b) const {
  const auto unknown = [&](ValueId value) {
    std::vector<std::size_t> axes;
    const std::vector<Dimension>& shape = *m_graph[value].type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!shape[axis].known()) axes.push_back(axis);
    }
    return axes;
  };
  const std::vector<std::size_t> first{0};
  return unknown(a) == unknown(b) && (unknown(a).empty() || unknown(a) == first);
}

// Reshaped between values of unknown extents, of which the last ones are the same.
void ChannelFollower::relateLastAxes(ValueId from, ValueId to) {
  const std::vector<Dimension>& before = *m_graph[from].type.shape;
  const std::vector<Dimension>& after = *m_graph[to].type.shape;
  std::size_t same = 0;
  while (same < std::min(before.size(), after.size()) && before[before.size() - 1 - same].known() &&
         before[before.size() - 1 - same].extent == after[after.size() - 1 - same].extent) {
    ++same;
  }
  const ElementChannels& map = m_maps.at(from);
  for (std::size_t axis = 0; axis + same < before.size(); ++axis) {
    if (map.kept()[axis] != 1) return cannotFollow(from);
  }
  push(to, map.withRank(after.size()));
}

// The operator tells by itself where it moves each element: it runs on their places.
void ChannelFollower::relateMoved(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  const Shape extents = *extentsOf(m_graph[node.inputs[0]]);
  if (extents.elementCount() > kMostPlaces) return cannotFollow(from);
  const bool forward = from == node.inputs[0];
  const ElementChannels source =
      forward ? m_maps.at(from)
              : ElementChannels(extents,
                                m_classes.add(static_cast<std::size_t>(extents.elementCount())));
  std::vector<Tensor> inputs{source.places(extents)};
  for (std::size_t slot = 1; slot < node.inputs.size(); ++slot) {
    const Tensor* constant = m_engine.constant(node.inputs[slot]);
    if (node.inputs[slot].valid() && constant == nullptr) return cannotFollow(from);
    inputs.push_back(constant == nullptr ? Tensor() : *constant);
  }
  std::vector<Tensor> outputs(node.outputs.size());
  try {
    runKernel(*m_engine.kernel(id), node, inputs, outputs);
  } catch (const Error&) {
    return cannotFollow(from);  // extents that are not known do not fit
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    outputs[i] = toLayout(outputs[i], Layout::Plain);
    const std::optional<Shape> made = extentsOf(m_graph[node.outputs[i]]);
    if (!made || made->rank() != outputs[i].shape().rank() || outputs[i].elementCount() == 0) {
      return cannotFollow(from);
    }
  }
  // Along axes of unknown extent there are other numbers of elements: push() says if that counts.
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i].valid()) push(node.outputs[i], source.atPlaces(outputs[i]));
  }
  if (!forward) push(node.inputs[0], source);
  m_related.insert(id);
}

std::vector<bool> ChannelFollower::reducedAxes(const Node& node, std::size_t rank) const {
  std::vector<std::int64_t> axes = node.integers("axes");
  const Tensor* given = node.inputs.size() > 1 ? m_engine.constant(node.inputs[1]) : nullptr;
  if (given != nullptr) axes = toIntegers(*given);
  // Axes that are not known may be any.
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes) reduced[normalizeAxis(axis, rank)] = true;
  return reduced;
}

// The output has the channels of its inputs, one after the other along an axis.
void ChannelFollower::relateJoined(NodeId id, ValueId from) {
  const Node& node = m_graph[id];
  const std::size_t rank = extentsOf(m_graph[node.outputs[0]])->rank();
  const std::int64_t along = node.integer("axis", node.version < 4 ? 1 : 0);
  const auto axis =
      static_cast<std::size_t>(along < 0 ? along + static_cast<std::int64_t>(rank) : along);
  Shape pattern = m_maps.at(from).kept();
  if (axis >= rank || pattern.rank() != rank) return cannotFollow(from);
  for (const ValueId input : node.inputs) {
    const std::optional<Shape> extents = extentsOf(m_graph[input]);
    if (!extents || extents->rank() != rank) return cannotFollow(from);
    const ElementChannels* known = find(input);
    for (std::size_t i = 0; known != nullptr && i < rank; ++i) {
      pattern[i] = std::max(pattern[i], known->kept()[i]);
    }
  }
  pattern[axis] = 0;
  std::int64_t sum = 0;
  for (const ValueId input : node.inputs) sum += (*extentsOf(m_graph[input]))[axis];
  if (sum != (*extentsOf(m_graph[node.outputs[0]]))[axis]) return cannotFollow(from);
  std::vector<ElementChannels> parts;
  for (const ValueId input : node.inputs) {
    Shape kept = pattern;
    kept[axis] = (*extentsOf(m_graph[input]))[axis];
    pattern[axis] += kept[axis];
    const auto count = static_cast<std::size_t>(kept.elementCount());
    const ElementChannels* known = find(input);
    parts.push_back({kept, known == nullptr ? m_classes.add(count) : known->channelsOf(kept)});
  }
  const std::int64_t outer = pattern.elementCount(0, axis);
  std::vector<std::uint32_t> channels;
  for (std::int64_t i = 0; i < outer; ++i) {
    for (const ElementChannels& part : parts) {
      const std::size_t count = part.channels().size() / static_cast<std::size_t>(outer);
      const auto row = part.channels().subspan(static_cast<std::size_t>(i) * count, count);
      channels.insert(channels.end(), row.begin(), row.end());
    }
  }
  push(node.outputs[0], {pattern, std::move(channels)});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (m_engine.constant(node.inputs[i]) != nullptr) {
      fixMap(parts[i], "a constant comes to it in '" + node.name + "'");
    } else if (!m_maps.contains(node.inputs[i])) {
      push(node.inputs[i], std::move(parts[i]));
    }
  }
  m_related.insert(id);
}

}  // namespace quantscope
