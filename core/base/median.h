#pragma once

#include <vector>

namespace quantscope {

/// The middle one of `values`, the upper one of two. `values` is not empty.
double median(std::vector<double> values);

}  // namespace quantscope
