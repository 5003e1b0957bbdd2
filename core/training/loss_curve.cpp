#include "training/loss_curve.h"

#include <limits>

namespace quantscope {

double smoothedLoss(const std::vector<TrainingPoint>& curve, const std::string& phase) {
  constexpr std::size_t kPoints = 3;
  double sum = 0;
  std::size_t count = 0;
  for (auto point = curve.rbegin(); point != curve.rend() && count < kPoints; ++point) {
    if (point->phase != phase || point->step == 0) break;
    sum += point->heldBack;
    ++count;
  }
  return count < kPoints ? std::numeric_limits<double>::infinity() : sum / kPoints;
}

}  // namespace quantscope
