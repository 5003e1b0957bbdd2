#pragma once

#include <filesystem>
#include <string>

namespace quantscope::test {

/// Why a case of ONNX's is not about what the engine is for, from what its model says: it trains,
/// draws random numbers, or has values that are no tensors of numbers or booleans. Empty where it
/// is in scope.
std::string whyOutOfScope(const std::filesystem::path& folder);

}  // namespace quantscope::test
