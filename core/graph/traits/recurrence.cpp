#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Weights [directions, gates·hidden, input or hidden].
int gateAxis(const Node&, std::size_t, const Shape&) {
  return 1;
}

// Products per step and sample: the input's weights, and as many rows of the state's weights.
double gateProducts(const Node& node, const Shape& data, const Shape& weight, const Shape&) {
  const auto state = static_cast<double>(node.integer("hidden_size", 0));
  const auto input = static_cast<double>(weight.back());
  if (input == 0) return 0;
  const double steps = static_cast<double>(data.elementCount()) / input;
  return steps * static_cast<double>(weight.elementCount(0, 2)) * (input + state);
}

}  // namespace

std::vector<NamedTraits> recurrenceTraits() {
  const OperatorTraits recurrence{.weightUse = WeightUse::Gates,
                                  .weightSlots = {1, 2},
                                  .biasSlot = 3,
                                  .outputChannelAxis = gateAxis,
                                  .multiplyAccumulates = gateProducts};
  return {{"LSTM", recurrence}, {"GRU", recurrence}, {"RNN", recurrence}};
}

}  // namespace quantscope
