#pragma once

#include <cmath>

namespace quantscope {

/// A denormal counts as 0, in every mode of the floating-point unit.
inline double flushed(float x) {
  return std::isnormal(x) ? x : 0.0;
}

}  // namespace quantscope
