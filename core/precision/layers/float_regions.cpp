#include "precision/layers/float_regions.h"

#include <algorithm>
#include <set>

#include "graph/data_dependence.h"

// A region grows from an anchor. The anchor of a normalization is the sum or mean over squares of
// x, or of x less its mean; that of Gelu is Erf of a multiple of x, or Tanh of a cubic of x. The
// region then takes in every node that reads only its own values, constants and x.

namespace quantscope {
namespace {

const std::string kNormalization = "LayerNormalization";
const std::string kGelu = "Gelu";

// Gelu's cubic has at most four nodes; a longer chain is something else.
constexpr std::size_t kMaxPowers = 16;

using Names = std::vector<std::string_view>;

bool isOneOf(std::string_view op, const Names& names) {
  return std::ranges::find(names, op) != names.end();
}

class RegionFinder {
 public:
  explicit RegionFinder(const Graph& graph) : m_graph(graph), m_depends(dependsOnData(graph)) {}

  std::vector<FloatRegion> find(const std::vector<std::string>& names) {
    const auto wanted = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    const bool normalizations = wanted(kNormalization);
    const bool gelus = wanted(kGelu);
    std::vector<FloatRegion> regions;
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      const NodeId node(i);
      if (normalizations && growNormalization(node)) regions.push_back(take(kNormalization));
      if (gelus && growGelu(node)) regions.push_back(take(kGelu));
    }
    return regions;
  }

 private:
  FloatRegion take(const std::string& name) const {
    return {name, std::vector<NodeId>(m_region.begin(), m_region.end())};
  }

  bool isConstant(ValueId value) const { return !value.valid() || !m_depends[value.at()]; }

  NodeId producer(ValueId value, std::string_view op = {}) const {
    const NodeId node = m_graph[value].producer;
    if (!node.valid() || (!op.empty() && m_graph[node].op != op)) return {};
    return node;
  }

  // The node's only input that depends on data; none where there are more or none.
  ValueId onlyInput(const Node& node) const {
    ValueId only;
    for (const ValueId input : node.inputs) {
      if (isConstant(input)) continue;
      if (only.valid() && only != input) return {};
      only = input;
    }
    return only;
  }

  // Back over nodes of these kinds with one input that is not constant, which join the region.
  ValueId back(ValueId value, const Names& ops) {
    for (;;) {
      const NodeId node = producer(value);
      if (!node.valid() || !isOneOf(m_graph[node].op, ops)) return value;
      const ValueId input = onlyInput(m_graph[node]);
      if (!input.valid() || isSquare(node)) return value;
      m_region.insert(node);
      value = input;
    }
  }

  bool isSquare(NodeId id) const {
    const Node& node = m_graph[id];
    return node.op == "Mul" && node.inputs.size() == 2 && node.inputs[0] == node.inputs[1];
  }

  static bool isMeanOrSum(const Node& node) {
    return node.op == "ReduceMean" || node.op == "ReduceSum";
  }

  bool growNormalization(NodeId anchor) {
    if (!isMeanOrSum(m_graph[anchor])) return false;
    m_region = {anchor};
    const NodeId square = producer(m_graph[anchor].inputs.at(0));
    if (!square.valid()) return false;
    const Node& node = m_graph[square];
    const bool power = node.op == "Pow" && isConstant(node.inputs.at(1));
    if (!power && !isSquare(square)) return false;
    m_region.insert(square);
    ValueId x = back(node.inputs[0], {"Cast", "Identity"});
    if (const NodeId centred = producer(x, "Sub"); centred.valid()) {
      const ValueId original = m_graph[centred].inputs.at(0);
      if (isMeanOf(m_graph[centred].inputs.at(1), original)) {
        m_region.insert(centred);
        x = original;
      }
    }
    for (const NodeId reader : m_graph[x].consumers) {
      if (isMeanOrSum(m_graph[reader])) m_region.insert(reader);
    }
    spread(x, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "Max", "Clip", "Cast",
               "Identity", "Reshape", "Expand", "Unsqueeze"});
    return contains([](const Node& member) { return member.op == "Sqrt"; });
  }

  // The nodes between, the mean and what spreads it over its axes, join the region.
  bool isMeanOf(ValueId value, ValueId original) {
    const std::set<NodeId> before = m_region;
    const ValueId mean = back(value, {"Reshape", "Expand", "Unsqueeze", "Mul", "Div", "Cast"});
    const NodeId reduction = producer(mean);
    if (reduction.valid() && isMeanOrSum(m_graph[reduction]) &&
        m_graph[reduction].inputs.at(0) == original) {
      m_region.insert(reduction);
      return true;
    }
    m_region = before;
    return false;
  }

  bool growGelu(NodeId anchor) {
    const std::string& op = m_graph[anchor].op;
    if (op != "Erf" && op != "Tanh") return false;
    m_region = {anchor};
    ValueId x = back(m_graph[anchor].inputs.at(0), {"Mul", "Div"});
    if (op == "Tanh") {
      const NodeId sum = producer(x, "Add");
      if (!sum.valid()) return false;
      const std::vector<ValueId>& terms = m_graph[sum].inputs;
      m_region.insert(sum);
      if (isPowerOf(terms.at(1), terms.at(0))) {
        x = terms[0];
      } else if (isPowerOf(terms.at(0), terms.at(1))) {
        x = terms[1];
      } else {
        return false;
      }
    }
    for (const NodeId reader : m_graph[x].consumers) {
      const bool half =
          m_graph[reader].op == "Mul" && onlyInput(m_graph[reader]) == x && !isSquare(reader);
      if (half) m_region.insert(reader);
    }
    spread(x, {"Add", "Mul"});
    return contains([&](const Node& member) {
      return member.op == "Mul" && !onlyInput(member).valid() &&
             std::ranges::any_of(member.inputs,
                                 [&](ValueId input) { return isMultipleOf(input, x); });
    });
  }

  bool isMultipleOf(ValueId value, ValueId x) const {
    if (value == x) return true;
    const NodeId node = producer(value, "Mul");
    return node.valid() && onlyInput(m_graph[node]) == x;
  }

  // True where the value is made of x, products and powers alone; its nodes join the region.
  bool isPowerOf(ValueId value, ValueId x) {
    if (value == x || isConstant(value)) return true;
    const NodeId node = producer(value);
    if (!node.valid() || !isOneOf(m_graph[node].op, {"Mul", "Pow"})) return false;
    if (m_region.contains(node)) return true;
    if (m_region.size() > kMaxPowers) return false;
    m_region.insert(node);
    return std::ranges::all_of(m_graph[node].inputs,
                               [&](ValueId input) { return isPowerOf(input, x); });
  }

  void spread(ValueId x, const Names& ops) {
    std::vector<NodeId> open(m_region.begin(), m_region.end());
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      for (const ValueId output : m_graph[id].outputs) {
        if (!output.valid()) continue;
        for (const NodeId reader : m_graph[output].consumers) {
          if (m_region.contains(reader) || !belongs(reader, x, ops)) continue;
          m_region.insert(reader);
          open.push_back(reader);
        }
      }
    }
  }

  bool belongs(NodeId id, ValueId x, const Names& ops) const {
    const Node& node = m_graph[id];
    if (!isOneOf(node.op, ops)) return false;
    // x + f(x) is a connection around the region, not a part of it.
    const bool takesX = node.op != "Add";
    return std::ranges::all_of(node.inputs, [&](ValueId input) {
      return isConstant(input) || (takesX && input == x) ||
             m_region.contains(m_graph[input].producer);
    });
  }

  template <class Predicate>
  bool contains(Predicate&& predicate) const {
    return std::ranges::any_of(m_region, [&](NodeId id) { return predicate(m_graph[id]); });
  }

  const Graph& m_graph;
  std::vector<bool> m_depends;
  std::set<NodeId> m_region;
};

}  // namespace

const std::vector<std::string>& floatRegionNames() {
  static const std::vector<std::string> names{kNormalization, kGelu};
  return names;
}

std::vector<FloatRegion> findFloatRegions(const Graph& graph,
                                          const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return RegionFinder(graph).find(names);
}

}  // namespace quantscope
