#include "graph/operator_traits.h"

#include <algorithm>
#include <unordered_map>

namespace quantscope {
namespace {

std::vector<NamedTraits> makeTable() {
  std::vector<NamedTraits> table;
  for (const auto family :
       {convolutionTraits, matrixProductTraits, recurrenceTraits, poolingTraits,
        normalizationTraits, elementwiseTraits, reductionTraits, dataMoverTraits, resamplingTraits,
        quantizedTraits, controlFlowTraits}) {
    std::ranges::move(family(), std::back_inserter(table));
  }
  return table;
}

}  // namespace

std::span<const NamedTraits> operatorTable() {
  static const std::vector<NamedTraits> table = makeTable();
  return table;
}

namespace {

// Every walk over a graph asks for its operators, so that this has to be fast.
struct OperatorHash {
  std::size_t operator()(std::string_view op) const {
    if (op.empty()) return 0;
    std::size_t hash = op.size();
    for (const std::size_t place : {std::size_t{0}, op.size() / 3, op.size() / 2, op.size() - 1}) {
      hash = hash * 131 + static_cast<unsigned char>(op[place]);
    }
    return hash;
  }
};

}  // namespace

const OperatorTraits& operatorTraits(std::string_view op) {
  static const std::unordered_map<std::string_view, const OperatorTraits*, OperatorHash> index =
      [] {
        std::unordered_map<std::string_view, const OperatorTraits*, OperatorHash> entries;
        entries.max_load_factor(0.25F);
        for (const NamedTraits& entry : operatorTable()) entries.emplace(entry.op, &entry.traits);
        return entries;
      }();
  static const OperatorTraits unknown;
  const auto found = index.find(op);
  return found == index.end() ? unknown : *found->second;
}

int outputChannelAxis(const Node& node, std::size_t slot, const Shape& weight) {
  const auto axis = operatorTraits(node).outputChannelAxis;
  return axis == nullptr ? 0 : axis(node, slot, weight);
}

std::size_t outputChannelGroups(const Node& node, const Shape& weight) {
  // Only on axis 1 does a ConvTranspose have one group's channels.
  const bool grouped = operatorTraits(node).groupedAxis == GroupedAxis::Output;
  if (!grouped || outputChannelAxis(node, 1, weight) != 1) return 1;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, node.integer("group", 1)));
}

bool isDataMover(const Graph& graph, const Node& node) {
  const auto moves = operatorTraits(node).movesData;
  return node.domain.empty() && moves != nullptr && moves(graph, node);
}

bool isPositivelyHomogeneous(const Graph& graph, const Node& node) {
  const auto homogeneous = operatorTraits(node).positivelyHomogeneous;
  return (homogeneous != nullptr && homogeneous(graph, node)) || isDataMover(graph, node);
}

}  // namespace quantscope
