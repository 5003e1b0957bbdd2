#include "precision/backend/backend.h"

#include <algorithm>

namespace quantscope {
namespace {

const std::vector<std::string> kDataMovers{
    "Reshape", "Transpose",      "Flatten",       "Squeeze",         "Unsqueeze",
    "Slice",   "Split",          "Identity",      "Dropout",         "Expand",
    "Tile",    "MaxPool",        "GlobalMaxPool", "DepthToSpace",    "SpaceToDepth",
    "Gather",  "GatherElements", "GatherND",      "ReverseSequence",
};

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

// Zero is on every grid; any other constant might not be.
bool padsRepresentably(const Graph& graph, const Node& node) {
  if (node.text("mode", "constant") != "constant") return true;
  if (node.version < 11) return node.real("value", 0) == 0;
  if (node.inputs.size() < 3 || !node.inputs[2].valid()) return true;
  const Tensor* value = graph.constant(node.inputs[2]);
  return value != nullptr && value->type() == ElementType::Float32 && value->elementCount() == 1 &&
         value->values<float>()[0] == 0;
}

bool resizesByCopying(const Node& node) {
  return node.text("mode", "nearest") == "nearest";
}

}  // namespace

bool Backend::quantizes(std::string_view op, bool dynamic) const {
  return std::ranges::any_of(ways, [&](const OperatorWay& way) {
    return contains(way.operators, op) && (dynamic || !way.dynamic);
  });
}

bool Backend::knows(std::string_view op) const {
  return quantizes(op, true);
}

bool Backend::shares(std::string_view op) const {
  return contains(sharing, op);
}

bool Backend::sharesInputs(std::string_view op) const {
  return shares(op) || contains(sharingInputs, op);
}

const PatternRule* Backend::patternOf(std::string_view lead) const {
  const auto found = std::ranges::find_if(
      patterns, [&](const PatternRule& rule) { return contains(rule.leads, lead); });
  return found == patterns.end() ? nullptr : &*found;
}

bool isDataMover(const Graph& graph, const Node& node) {
  if (!node.domain.empty()) return false;
  if (node.op == "Pad") return padsRepresentably(graph, node);
  if (node.op == "Resize" || node.op == "Upsample") return resizesByCopying(node);
  return contains(kDataMovers, node.op);
}

}  // namespace quantscope
