#include <functional>

#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"

namespace quantscope {

void registerComparisons(OperatorRegistry& registry) {
  registry.add("Equal", {1, 7, 11, 13, 19}, binary<AllTypes, std::equal_to<>>);
  registry.add("Less", {1, 7, 9, 13}, binary<NumberTypes, std::less<>>);
  registry.add("LessOrEqual", {12, 16}, binary<NumberTypes, std::less_equal<>>);
  registry.add("Greater", {1, 7, 9, 13}, binary<NumberTypes, std::greater<>>);
  registry.add("GreaterOrEqual", {12, 16}, binary<NumberTypes, std::greater_equal<>>);
}

}  // namespace quantscope
