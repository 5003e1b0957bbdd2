#pragma once

#include <cstddef>

namespace quantscope {

/// Number of sums that the elements of a row are added up in, element i in sum i mod kSoftmaxSums;
/// then the sums one after the other.
inline constexpr std::size_t kSoftmaxSums = 16;

/// y = e^(x − m) / Σ e^(x − m) along each of `rows` rows of `columns` elements, m being the row's
/// largest number: within 4 ulp of its definition as long as the sum is. x and y are the same or do
/// not overlap. A row that holds a NaN, or +∞, or nothing but −∞, is NaN. Every target of Highway's
/// gives the same bits, whether or not denormals are flushed: results below 2^−126 are 0.
void softmaxRows(const float* x, std::size_t rows, std::size_t columns, float* y);

}  // namespace quantscope
