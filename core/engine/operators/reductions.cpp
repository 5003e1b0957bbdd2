#include "engine/operator_registry.h"

namespace quantscope {

void registerReductions(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
