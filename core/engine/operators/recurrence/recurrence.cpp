#include "engine/operators/recurrence/recurrence.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerRecurrence(OperatorRegistry& registry) {
  registry.add("RNN", {1, 7, 14, 22}, makeRnn);
  registry.add("GRU", {1, 3, 7, 14, 22}, makeGru);
  registry.add("LSTM", {1, 7, 14, 22}, makeLstm);
}

}  // namespace quantscope
