#include "engine/operator_registry.h"

namespace quantscope {

void registerIndexing(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
