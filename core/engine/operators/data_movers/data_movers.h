#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

// The parts of the family of operators that only move data, one per file.
void registerReshaping(OperatorRegistry& registry);
void registerTranspose(OperatorRegistry& registry);
void registerConcatAndSplit(OperatorRegistry& registry);
void registerSlice(OperatorRegistry& registry);
void registerPad(OperatorRegistry& registry);
void registerRepetition(OperatorRegistry& registry);
void registerDepthAndSpace(OperatorRegistry& registry);
void registerReverseSequence(OperatorRegistry& registry);
void registerTriangles(OperatorRegistry& registry);
void registerCompress(OperatorRegistry& registry);

}  // namespace quantscope
