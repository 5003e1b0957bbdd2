#include "analysis/sensitivity/probes.h"

#include <cmath>
#include <limits>

#include "base/counter_random.h"

namespace quantscope {

ProbeSigns::ProbeSigns(std::uint64_t seed, std::uint64_t sample, std::uint64_t probe)
    : m_key(mixedBits(mixedBits(mixedBits(seed) + sample) + probe)) {}

float ProbeSigns::operator()(std::size_t element) {
  if (element / 64 != m_block) {
    m_block = element / 64;
    m_bits = mixedBits(m_key + m_block);
  }
  return (m_bits >> (element % 64) & 1) != 0 ? 1.0F : -1.0F;
}

Tensor differenceOf(const Tensor& actual, const Tensor& expected, Layout layout) {
  const Tensor a = toFloat32(toLayout(actual, layout));
  const Tensor b = toFloat32(toLayout(expected, layout));
  Tensor difference(ElementType::Float32, a.shape(), layout);
  const std::span<const float> x = a.values<float>();
  const std::span<const float> y = b.values<float>();
  const std::span<float> to = difference.mutableValues<float>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = x[i] - y[i];
  return difference;
}

double innerProduct(const Tensor& cotangent, const Tensor& difference) {
  const std::span<const float> g = cotangent.values<float>();
  const std::span<const float> d = difference.values<float>();
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= g.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(g[i + lane]) * static_cast<double>(d[i + lane]);
    }
  }
  for (; i < g.size(); ++i) lanes[0] += static_cast<double>(g[i]) * static_cast<double>(d[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double spoiltProduct(const Tensor& cotangent, const Tensor& difference, const Tensor& expected) {
  const Tensor plain = toFloat32(toLayout(expected, cotangent.layout()));
  const std::span<const float> g = cotangent.values<float>();
  const std::span<const float> d = difference.values<float>();
  const std::span<const float> y = plain.values<float>();
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (!std::isfinite(y[i]) || !std::isfinite(g[i]) || g[i] == 0) continue;
    if (!std::isfinite(d[i])) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(g[i]) * static_cast<double>(d[i]);
  }
  return sum;
}

}  // namespace quantscope
