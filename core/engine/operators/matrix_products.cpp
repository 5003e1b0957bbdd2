#include "engine/operator_registry.h"

namespace quantscope {

void registerMatrixProducts(OperatorRegistry& /*registry*/) {}

}  // namespace quantscope
