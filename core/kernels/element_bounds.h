#pragma once

#include <limits>

namespace quantscope {

/// x below `low` becomes `low`, then above `high` becomes `high`; a bound that is NaN does nothing.
struct ElementBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  /// Whether any number may change.
  bool matter() const {
    return low > -std::numeric_limits<float>::infinity() ||
           high < std::numeric_limits<float>::infinity();
  }
};

}  // namespace quantscope
