#include "export/foreign/placed_grids.h"

#include <algorithm>

#include "base/error.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr std::size_t kNamed = 5;

void placeAt(const Engine& engine, ValueId value, const ForeignGrid& grid, PlacedGrids& placed) {
  const Graph& graph = engine.graph();
  const bool constant = engine.constant(value) != nullptr;
  for (const NodeId reader : graph[value].consumers) {
    const std::vector<ValueId>& inputs = graph[reader].inputs;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      if (inputs[input] != value) continue;
      if (constant) {
        placed.constants[{reader, input}].grid = {grid};
      } else {
        placed.edges[{reader, input}] = {grid};
      }
    }
  }
  if (std::ranges::find(graph.outputs(), value) != graph.outputs().end()) {
    placed.outputs[value] = {grid};
  }
}

}  // namespace

std::string quotedNames(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) {
    text += (i > 0 ? ", '" : "'") + names[i] + "'";
  }
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

PlacedGrids placeByName(const Engine& engine, std::span<const ForeignGrid> grids) {
  const Graph& graph = engine.graph();
  PlacedGrids placed;
  // Such tools fold normalizations before they quantize.
  for (const Node& node : graph.nodes()) {
    placed.absent.push_back(operatorTraits(node).foldsIntoWeights);
  }
  // What no name stands for is not rounded.
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const std::vector<ValueId>& inputs = graph.nodes()[i].inputs;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      if (!inputs[input].valid() || engine.constant(inputs[input]) != nullptr) continue;
      placed.edges[{NodeId(i), input}];
    }
  }
  for (const ValueId output : graph.outputs()) placed.outputs[output];
  std::vector<std::string> unknown;
  for (const ForeignGrid& grid : grids) {
    const ValueId value = graph.findValue(grid.tensor);
    if (!value.valid()) {
      unknown.push_back(grid.tensor);
      continue;
    }
    ++placed.encodings;
    placeAt(engine, value, grid, placed);
  }
  if (unknown.empty()) return placed;
  if (placed.encodings == 0) {
    throw Error(ErrorCode::InvalidConfiguration,
                "the model has none of the tensors " + quotedNames(unknown), {},
                "give the model that the file was made for");
  }
  placed.notices.push_back("the model has no tensor " + quotedNames(unknown));
  return placed;
}

}  // namespace quantscope
