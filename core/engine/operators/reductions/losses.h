#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
void registerLosses(OperatorRegistry& registry);

}  // namespace quantscope
