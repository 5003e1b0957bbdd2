#include "graph/operator_traits.h"

namespace quantscope {

std::vector<NamedTraits> controlFlowTraits() {
  return {{"If", {.controlFlow = ControlFlow::Branch}},
          {"Loop", {.controlFlow = ControlFlow::Loop}},
          {"Scan", {.controlFlow = ControlFlow::Scan}}};
}

}  // namespace quantscope
