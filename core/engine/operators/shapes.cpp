#include "engine/operator_registry.h"

namespace quantscope {

void registerShapes(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
