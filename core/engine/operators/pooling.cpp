#include "engine/operator_registry.h"

namespace quantscope {

void registerPooling(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
