#include "engine/operator_registry.h"

namespace quantscope {

void registerConvolutions(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
