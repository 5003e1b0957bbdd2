#pragma once

#include <vector>

#include "bench/kernel_case.h"

namespace quantscope {

/// The kernels that read more than they write: "min_max/…", "histogram/2048" (range and counts of
/// one piece after the other, with a width that grows as the range does), and "error_sums" of `in`
/// against `out`.
std::vector<KernelCase> readingCases(const KernelArrays& arrays, std::size_t threads);

}  // namespace quantscope
