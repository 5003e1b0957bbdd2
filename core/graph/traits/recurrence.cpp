#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Weights [directions, gates·hidden, input or hidden].
int gateAxis(const Node&, std::size_t, const Shape&) {
  return 1;
}

}  // namespace

std::vector<NamedTraits> recurrenceTraits() {
  const OperatorTraits recurrence{.weightUse = WeightUse::Gates,
                                  .weightSlots = {1, 2},
                                  .biasSlot = 3,
                                  .outputChannelAxis = gateAxis};
  return {{"LSTM", recurrence}, {"GRU", recurrence}, {"RNN", recurrence}};
}

}  // namespace quantscope
