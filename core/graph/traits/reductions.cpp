#include "graph/operator_traits.h"
#include "graph/traits/conditions.h"

namespace quantscope {

std::vector<NamedTraits> reductionTraits() {
  const OperatorTraits homogeneous{.positivelyHomogeneous = always, .reduces = true};
  return {{"ReduceMean", homogeneous}, {"ReduceSum", homogeneous}, {"ReduceMax", homogeneous},
          {"ReduceMin", homogeneous},  {"ReduceL1", homogeneous},  {"ReduceL2", homogeneous},
          {"CumSum", homogeneous}};
}

}  // namespace quantscope
