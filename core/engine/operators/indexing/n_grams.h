#pragma once

#include "engine/operator_registry.h"

namespace quantscope {

/// TfIdfVectorizer of numbers: how often each n-gram of a given list stands in a sequence.
void registerNGrams(OperatorRegistry& registry);

}  // namespace quantscope
