#pragma once

#include <span>
#include <vector>

#include "engine/operators/window.h"

namespace quantscope {

/// For every tap of the window, row-major, the sum of its inputs in a plane [D1, …] over all
/// positions of the window; pads count as zeros. In double, by running sums: a few additions per
/// element of the plane, however large the kernel.
std::vector<double> windowSums(const Window& window, std::span<const float> plane);

}  // namespace quantscope
