#include "engine/operator_registry.h"

namespace quantscope {

void registerQuantized(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
