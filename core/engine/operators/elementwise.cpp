#include "engine/operator_registry.h"

namespace quantscope {

void registerElementwise(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
