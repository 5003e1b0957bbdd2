#include "parity/value_error.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "support/infinity.h"
#include "tensor/half.h"

namespace quantscope::test {
namespace {

std::vector<double> toDoubles(const Tensor& tensor) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  return visitElementType(plain.type(), [&]<class T>() {
    const std::span<const T> elements = plain.values<T>();
    std::vector<double> doubles(elements.size());
    std::transform(elements.begin(), elements.end(), doubles.begin(), [](T element) {
      if constexpr (std::is_class_v<T>) {
        return static_cast<double>(toFloat(element));
      } else {
        return static_cast<double>(element);
      }
    });
    return doubles;
  });
}

bool sameSpecialNumber(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

struct Difference {
  double largestMagnitude = 0;
  double largestError = 0;
  double sumOfSquares = 0;
  double sumOfSquaredErrors = 0;
};

Difference difference(std::span<const double> ours, std::span<const double> theirs) {
  Difference result;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!std::isfinite(ours[i]) || !std::isfinite(theirs[i])) {
      if (!sameSpecialNumber(ours[i], theirs[i])) result.largestError = kInfinity;
      continue;
    }
    const double error = std::abs(ours[i] - theirs[i]);
    result.largestMagnitude = std::max(result.largestMagnitude, std::abs(theirs[i]));
    result.largestError = std::max(result.largestError, error);
    result.sumOfSquares += theirs[i] * theirs[i];
    result.sumOfSquaredErrors += error * error;
  }
  return result;
}

double allowedError(Tolerance tolerance, double largestMagnitude) {
  if (tolerance == Tolerance::Float16) return 8e-3 * largestMagnitude;
  return std::max(1e-4 * largestMagnitude, 1e-6);
}

}  // namespace

double errorRatio(const Tensor& ours, const Tensor& theirs, Tolerance tolerance) {
  if (ours.type() != theirs.type() || ours.shape() != theirs.shape()) return kInfinity;
  const Difference found = difference(toDoubles(ours), toDoubles(theirs));
  if (found.largestError == 0) return 0;
  if (std::isinf(found.largestError)) return kInfinity;
  if (tolerance == Tolerance::Quantized) {
    return std::sqrt(found.sumOfSquaredErrors / found.sumOfSquares) / 2e-2;
  }
  if (!isFloat(ours.type())) return kInfinity;
  return found.largestError / allowedError(tolerance, found.largestMagnitude);
}

}  // namespace quantscope::test
