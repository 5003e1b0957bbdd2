#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// All of them.
void registerSpectra(OperatorRegistry& registry);

// The operators of signal processing, one file each.
void registerWindowFunctions(OperatorRegistry& registry);
void registerFourierTransforms(OperatorRegistry& registry);
void registerMelWeights(OperatorRegistry& registry);

}  // namespace quantscope
