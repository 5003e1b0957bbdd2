#include "jobs/quantize_tensor.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/min_max.h"
#include "precision/parameters/weight_quantization.h"

namespace quantscope {
namespace {

void requireAxis(const Granularity& granularity, const Shape& shape) {
  if (granularity.kind == Granularity::Kind::PerTensor) return;
  const int axis = granularity.axis.value_or(0);
  const auto rank = static_cast<int>(shape.rank());
  if (axis >= -rank && axis < rank) return;
  throw Error(
      ErrorCode::InvalidParameters,
      "there is no axis " + std::to_string(axis) + " in an array of shape " + toString(shape), {},
      rank == 0 ? "use per-tensor" : "use an axis from 0 to " + std::to_string(rank - 1));
}

// Numbers of other types are no larger.
void requireFloats(const Tensor& array) {
  if (array.type() != ElementType::Float64) return;
  std::size_t i = 0;
  for (const double x : array.values<double>()) {
    if (std::isfinite(x) && std::abs(x) > std::numeric_limits<float>::max()) {
      throw Error(ErrorCode::InvalidData,
                  "element " + std::to_string(i) + " of the array is beyond what float32 holds", {},
                  "scale the array");
    }
    ++i;
  }
}

void addOverflows(ErrorMetrics& errors) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  errors.sqnrDb = -kInfinity;
  errors.mse = errors.rmse = errors.nmse = kInfinity;
  errors.maxAbs = errors.meanAbs = kInfinity;
  errors.meanSigned = errors.cosine = std::nullopt;
}

}  // namespace

QuantizedTensor quantizeTensor(const Tensor& array, const TensorPrecision& precision,
                               Convention convention) {
  requireAxis(precision.granularity, array.shape());
  requireFloats(array);
  const Tensor source = toFloat32(array);
  QuantizedTensor result;
  result.params = weightParams(source, precision, 0, convention);
  result.values = fakeQuantize(source, result.params);
  const ErrorSums sums = errorSums(source.values<float>(), result.values.values<float>());
  result.errors = metricsOf(sums);
  const MinMax extremes = minMax(source.values<float>());
  if (!extremes.empty()) result.observed = {extremes.min, extremes.max, false};
  result.nonFinite = extremes.nonFinite;
  result.overflows = sums.nonFinite - result.nonFinite;
  if (result.overflows > 0) addOverflows(result.errors);
  return result;
}

}  // namespace quantscope
