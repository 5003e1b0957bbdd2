#include "compare/matching/matched_orders.h"

#include <algorithm>
#include <numeric>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr int kMaxOrigin = 16;  // back to a value that matches

AxisIndexes inOrder(std::size_t count) {
  AxisIndexes order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Of the axes longer than 1: axis i of the result is axis [i] of the input.
AxisIndexes transposition(const Node& node, const Shape& input) {
  std::vector<std::int64_t> reversed(input.rank());
  std::iota(reversed.rbegin(), reversed.rend(), std::int64_t{0});
  AxisIndexes permutation;
  for (const std::int64_t axis : node.integers("perm", reversed)) {
    permutation.push_back(normalizeAxis(axis, input.rank()));
  }
  return withoutUnits(input, permutation);
}

}  // namespace

MatchedOrders::MatchedOrders(const ComparedModel& first, const std::vector<ValuePrint>& firstPrints,
                             const ComparedModel& second,
                             const std::vector<ValuePrint>& secondPrints,
                             const std::vector<ValueMatch>& matches)
    : m_first(first),
      m_firstPrints(firstPrints),
      m_second(second),
      m_secondPrints(secondPrints),
      m_ofFirst(first.values().size(), kNoValue),
      m_ofSecond(second.values().size(), kNoValue) {
  for (const ValueMatch& match : matches) {
    m_ofFirst[match.first] = match.second;
    m_ofSecond[match.second] = match.first;
  }
  // In execution order, so that the orders of what a value is made of are there.
  for (const ValueMatch& match : matches) {
    m_orders[match.second] = orderOf(match.first, match.second);
  }
}

AxisOrder MatchedOrders::between(std::size_t first, std::size_t second) const {
  // Outputs that are paired by name or place may have nothing in common.
  if (m_firstPrints[first].elementCount != m_secondPrints[second].elementCount) return {};
  const auto known = m_orders.find(second);
  const bool matched = known != m_orders.end() && m_ofSecond[second] == first;
  return {m_firstPrints[first].shape, m_secondPrints[second].shape,
          matched ? known->second : orderOf(first, second)};
}

// Back over transpositions and what works element by element, to a value that matches or is made
// otherwise.
MatchedOrders::Origin MatchedOrders::originOf(const ComparedModel& model,
                                              const std::vector<ValuePrint>& prints,
                                              const std::vector<std::size_t>& partners,
                                              std::size_t value) {
  Origin origin{value, inOrder(withoutUnits(prints[value].shape).rank())};
  for (int step = 0; step < kMaxOrigin; ++step) {
    const ComparedValue& at = model.values()[origin.value];
    const bool matched = origin.value != value && partners[origin.value] != kNoValue;
    if (matched || at.reads.empty()) break;
    const Shape& shape = prints[origin.value].shape;
    const Node& maker = model.graph()[model.graph()[at.members.front()].producer];
    const ChannelFlow flow = operatorTraits(maker).channels;
    if (flow == ChannelFlow::Permuted) {
      const Shape& input = prints[at.reads.front()].shape;
      const bool computed = !prints[at.reads.front()].elements.empty();
      if (!computed || input.rank() != shape.rank()) break;
      const AxisIndexes moved = transposition(maker, input);
      for (std::size_t& axis : origin.order) axis = moved[axis];
      origin.value = at.reads.front();
      continue;
    }
    const auto same = std::ranges::find_if(at.reads, [&](std::size_t read) {
      return withoutUnits(prints[read].shape) == withoutUnits(shape);
    });
    if (flow != ChannelFlow::Carried || same == at.reads.end()) break;
    origin.value = *same;
  }
  return origin;
}

// Operators that are the same hold their axes in the same order.
std::optional<AxisIndexes> MatchedOrders::expected(std::size_t first, std::size_t second) const {
  const Origin ours = originOf(m_first, m_firstPrints, m_ofFirst, first);
  const Origin theirs = originOf(m_second, m_secondPrints, m_ofSecond, second);
  const auto found = m_orders.find(theirs.value);
  const Shape shape = withoutUnits(m_firstPrints[ours.value].shape);
  AxisIndexes known;
  if (m_ofSecond[theirs.value] == ours.value && found != m_orders.end()) {
    known = found->second;
  } else if (m_first.values()[ours.value].op == m_second.values()[theirs.value].op &&
             withoutUnits(m_secondPrints[theirs.value].shape) == shape) {
    known = inOrder(shape.rank());
  }
  if (known.size() != ours.order.size() || known.size() != theirs.order.size()) {
    return std::nullopt;
  }
  AxisIndexes order;
  for (const std::size_t axis : theirs.order) {
    const auto at = std::ranges::find(ours.order, known[axis]);
    order.push_back(static_cast<std::size_t>(at - ours.order.begin()));
  }
  return order;
}

AxisIndexes MatchedOrders::orderOf(std::size_t first, std::size_t second) const {
  const ValuePrint& ours = m_firstPrints[first];
  const ValuePrint& theirs = m_secondPrints[second];
  const std::vector<OrderLikeness> orders = ordersBetween(ours, theirs);
  if (orders.empty()) return {};
  const auto best = std::ranges::max_element(orders, {}, &OrderLikeness::likeness);
  const Shape shape = withoutUnits(ours.shape);
  bool hasReason = shape == withoutUnits(theirs.shape);
  OrderLikeness kept{hasReason ? inOrder(shape.rank()) : AxisIndexes(),
                     likenessAsTheyLie(ours, theirs)};
  if (const std::optional<AxisIndexes> wanted = expected(first, second)) {
    const auto there = std::ranges::find(orders, *wanted, &OrderLikeness::order);
    // Elements that are as alike as they lie need no other order.
    if (there != orders.end() && !isClearlyMoreAlike(kept.likeness, there->likeness, true)) {
      kept = *there;
      hasReason = true;
    }
  }
  return isClearlyMoreAlike(best->likeness, kept.likeness, hasReason) ? best->order : kept.order;
}

}  // namespace quantscope
