#pragma once

#include <cstdint>
#include <span>

namespace quantscope {

// Several rows of y.size() elements, row i starting at rows + starts[i], folded into one, element
// by element and row after row. y overlaps none of them. Every target of Highway's gives the same
// bits.

/// y[c] = the largest rows[starts[i] + c]; the first of equal ones (which shows in zeros). NaN
/// loses against every number; −FLT_MAX where nothing is larger.
void largestOfRows(const float* rows, std::span<const std::int64_t> starts, std::span<float> y);

/// y[c] = ((0 + rows[starts[0] + c]) + rows[starts[1] + c]) + …
void sumOfRows(const float* rows, std::span<const std::int64_t> starts, std::span<float> y);

}  // namespace quantscope
