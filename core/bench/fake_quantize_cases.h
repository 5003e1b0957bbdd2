#pragma once

#include <vector>

#include "bench/kernel_case.h"

namespace quantscope {

/// "fake_quantize/TYPE/GRANULARITY" on the whole array, and "…/l2" on `threads` small ones.
/// Channels are the second of four axes, unless the name has ":0" or ":last".
std::vector<KernelCase> fakeQuantizeCases(const KernelArrays& arrays, std::size_t threads);

}  // namespace quantscope
