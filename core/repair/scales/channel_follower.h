#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "repair/scales/element_channels.h"

namespace quantscope {

/// The extents of a value, unknown ones as 1; nullopt where the number of axes is not known, or
/// where there are no elements.
std::optional<Shape> extentsOf(const Value& value);

/// Follows the channels of values through operators that are proportional to their input for every
/// channel by itself: elementwise ones, pooling, sums, slices, concatenations, transpositions,
/// products with what does not have these channels, reductions along other axes.
class ChannelFollower {
 public:
  explicit ChannelFollower(const Engine& engine) : m_engine(engine), m_graph(engine.graph()) {}

  /// Where to begin; once.
  void start(ValueId value, ElementChannels map);
  /// The next value that channels were found in; none where all were visited, or where no channel
  /// is left that may have a factor.
  std::optional<ValueId> next();

  /// nullptr for a value in which no channels were found.
  const ElementChannels* find(ValueId value) const;
  /// The same with one channel per index of an axis, after uniting what lies along the others.
  std::vector<std::uint32_t> channelsAlong(ValueId value, std::size_t axis);
  std::vector<std::uint32_t> newChannels(std::size_t count) { return m_classes.add(count); }

  /// From one value of the operator to its others. The operator has to be executable, in the main
  /// graph, and positively homogeneous or linear in some inputs.
  void relate(NodeId node, ValueId from);
  /// The same for an operator that computes every element by itself.
  void relateElements(NodeId node, ValueId from);

  /// The channels of that value have no factor.
  void fix(ValueId value, std::string reason);
  /// The same, because they cannot be followed, or because this operator is not proportional to it.
  void cannotFollow(ValueId value);
  void notProportional(NodeId node, ValueId value);
  /// Why the first ones have none; empty where all may have one.
  const std::string& whyFixed() const { return m_reason; }

  /// In the order in which they were found.
  const std::vector<ValueId>& values() const { return m_values; }
  const ChannelClasses& classes() const { return m_classes; }

 private:
  void push(ValueId value, ElementChannels map);
  void fixMap(const ElementChannels& map, std::string reason);

  void relateAligned(ValueId in, ValueId out);
  std::optional<ElementChannels> aligned(ValueId from, ValueId to);
  void relateProduct(NodeId node, ValueId from);
  void relateToOutput(NodeId node, std::size_t slot);
  void relateToOperand(NodeId node);
  void relateMerged(NodeId node, ValueId from, const std::vector<bool>& axes);
  void relateReshaped(NodeId node, ValueId from);
  bool sameUnknown(ValueId a, ValueId b) const;
  void relateLastAxes(ValueId from, ValueId to);
  void relateMoved(NodeId node, ValueId from);
  void relateJoined(NodeId node, ValueId from);
  std::vector<bool> reducedAxes(const Node& node, std::size_t rank) const;

  const Engine& m_engine;
  const Graph& m_graph;
  ChannelClasses m_classes;
  std::map<ValueId, ElementChannels> m_maps;
  std::set<NodeId> m_related;  // of those that are not followed twice
  std::deque<ValueId> m_open;
  std::vector<ValueId> m_values;
  std::string m_reason;
};

}  // namespace quantscope
