#pragma once

#include <string>
#include <string_view>

namespace quantscope {

/// The instruction sets of this CPU that the kernels are compiled for, best first, as Highway names
/// them: "AVX3, AVX2, SSE4, SCALAR".
std::string simdTargetNames();

/// Kernels run on this instruction set alone, as they would on a CPU without the better ones; with
/// an empty name on the best there is, which is the default. Results have the same bits on all.
/// Call it while no kernel runs. Throws InvalidParameters for a name that simdTargetNames lacks.
void useSimdTarget(std::string_view name);

/// The same with the name in the environment's variable QUANTSCOPE_SIMD_TARGET, if there is one:
/// programs call it first, so that every one of them can be tested on every instruction set.
void useSimdTargetOfEnvironment();

}  // namespace quantscope
