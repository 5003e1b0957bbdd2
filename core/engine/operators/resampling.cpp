#include "engine/operator_registry.h"

namespace quantscope {

void registerResampling(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
