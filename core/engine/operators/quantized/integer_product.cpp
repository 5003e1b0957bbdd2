#include "engine/operators/quantized/integer_product.h"

#include <algorithm>

#include "base/error.h"
#include "engine/operators/quantized/code_rounding.h"
#include "engine/operators/quantized/quantization_grid.h"

namespace quantscope {
namespace {

// Number of products of two 9-bit numbers whose sum fits into an int32.
constexpr std::int64_t kExact = 16384;
// Rows that stay in the first cache level while a column passes by.
constexpr std::int64_t kRows = 16;

// A plain sum of int16 products: compilers know the instruction that adds them in pairs.
std::int32_t dotProduct(const std::int16_t* a, const std::int16_t* b, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
  }
  return sum;
}

// Unsigned sums wrap where signed ones must not overflow.
std::int32_t wrappingDotProduct(const std::int16_t* a, const std::int16_t* b, std::int64_t count) {
  std::uint32_t sum = 0;
  for (std::int64_t first = 0; first < count; first += kExact) {
    const std::int64_t part = std::min(kExact, count - first);
    sum += static_cast<std::uint32_t>(dotProduct(a + first, b + first, part));
  }
  return static_cast<std::int32_t>(sum);
}

float onlyScale(const Tensor& scale, const char* what) {
  if (scale.elementCount() == 1) return scale.values<float>()[0];
  throw Error(
      ErrorCode::InvalidParameters,
      std::string(what) + " of shape " + toString(scale.shape()) + " is not a single number");
}

template <class T>
void requantize(std::span<const std::int32_t> accumulators, std::span<const float> factors,
                std::int32_t zeroPoint, T* y) {
  for (std::size_t first = 0; first < accumulators.size(); first += factors.size()) {
    for (std::size_t column = 0; column < factors.size(); ++column) {
      const float value = static_cast<float>(accumulators[first + column]) * factors[column];
      y[first + column] = roundToCode<T>(value, zeroPoint);
    }
  }
}

}  // namespace

void multiplyDeviations(const std::int16_t* a, const std::int16_t* b, std::int32_t* y,
                        std::int64_t m, std::int64_t n, std::int64_t k) {
  for (std::int64_t top = 0; top < m; top += kRows) {
    const std::int64_t bottom = std::min(m, top + kRows);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = top; i < bottom; ++i) {
        y[i * n + j] = wrappingDotProduct(a + i * k, b + j * k, k);
      }
    }
  }
}

ZeroPoints::ZeroPoints(const Tensor& zeroPoint, std::int64_t count, const char* what)
    : m_values(zeroPoint.defined() ? zeroPointValues(zeroPoint) : std::vector<std::int32_t>{0}) {
  for (const std::int32_t value : m_values) {
    if (value >= -128 && value <= 255) continue;
    throw Error(ErrorCode::InvalidData,
                "the zero point " + std::to_string(value) + " is no 8-bit code");
  }
  if (m_values.size() == 1 || m_values.size() == static_cast<std::size_t>(count)) return;
  throw Error(ErrorCode::InvalidParameters, std::string(what) + " of shape " +
                                                toString(zeroPoint.shape()) + " does not fit " +
                                                std::to_string(count) + " rows or columns");
}

Deviations widenedCodes(const Tensor& codes) {
  Deviations result(codes.elementCount());
  if (codes.type() == ElementType::UInt8) {
    std::ranges::copy(codes.values<std::uint8_t>(), result.begin());
  } else {
    std::ranges::copy(codes.values<std::int8_t>(), result.begin());
  }
  return result;
}

Requantization::Requantization(const Tensor& inputScale, const Tensor& weightScale,
                               const Tensor& outputScale, const Tensor& outputZeroPoint,
                               std::int64_t columns)
    : m_factors(static_cast<std::size_t>(columns)),
      m_zeroPoint(ZeroPoints(outputZeroPoint, 1, "an output zero point").at(0)),
      m_type(outputZeroPoint.type()) {
  const std::span<const float> scales = weightScale.values<float>();
  if (scales.size() != 1 && scales.size() != m_factors.size()) {
    throw Error(ErrorCode::InvalidParameters, "weight scales of shape " +
                                                  toString(weightScale.shape()) + " do not fit " +
                                                  std::to_string(columns) + " columns");
  }
  const float input = onlyScale(inputScale, "an input scale");
  const float output = onlyScale(outputScale, "an output scale");
  for (std::size_t i = 0; i < m_factors.size(); ++i) {
    m_factors[i] = input * scales[scales.size() == 1 ? 0 : i] / output;
  }
}

void Requantization::apply(std::span<const std::int32_t> accumulators, Tensor& y) const {
  if (m_type == ElementType::UInt8) {
    requantize(accumulators, m_factors, m_zeroPoint, y.mutableValues<std::uint8_t>().data());
  } else {
    requantize(accumulators, m_factors, m_zeroPoint, y.mutableValues<std::int8_t>().data());
  }
}

}  // namespace quantscope
