#pragma once

#include <span>
#include <vector>

#include "quant/quant_params.h"

namespace quantscope::test {

/// Rounds a number to a type, in another way than the kernels.
using TypeTwin = float (*)(float x, const Codes& codes, const Grid& grid);

/// The non-negative finite numbers of a float format in ascending order: by place, which is the
/// code, its value from exponent and significand.
const std::vector<double>& numbersOf(QuantType type);

/// The number of a code with its sign bit; infinities and NaNs where the format has them.
double decoded(QuantType type, unsigned code);

/// The definition of fakeQuantize in double: the nearest entry of numbersOf, or the formulas.
float typeTwin(float x, const Codes& codes, const Grid& grid);

/// Wrong on purpose: cuts off instead of rounding, or takes subnormals for 0.
float truncatingTwin(float x, const Codes& codes, const Grid& grid);
float flushingTwin(float x, const Codes& codes, const Grid& grid);

/// Numbers that are hard for this type and grid: ties and their neighbours among hostile ones.
std::vector<float> hardNumbers(const Codes& codes, const Grid& grid, std::size_t count);

std::vector<float> mapped(std::span<const float> in, const Codes& codes, const Grid& grid,
                          TypeTwin twin = typeTwin);

}  // namespace quantscope::test
