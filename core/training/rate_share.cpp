#include "training/rate_share.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quantscope {

double rateShare(std::size_t step, std::size_t steps) {
  constexpr double kWarmUp = 0.1;  // of the phase's steps
  const auto all = static_cast<double>(steps);
  const double progress = static_cast<double>(step) / all;
  const double warm = std::min(1.0, (progress * all + 1) / (kWarmUp * all + 1));
  return warm * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

}  // namespace quantscope
