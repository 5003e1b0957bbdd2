#include "engine/operator_registry.h"

namespace quantscope {

void registerNormalization(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
