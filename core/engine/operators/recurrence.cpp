#include "engine/operator_registry.h"

namespace quantscope {

void registerRecurrence(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
