#include "engine/operator_registry.h"

namespace quantscope {

void registerDataMovers(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
