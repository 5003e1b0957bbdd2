#include "engine/gradients/straight_through.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/grid_runs.h"

namespace quantscope {
namespace {

// Adding and taking away 1.5·2^23 rounds |v| < 2^22 to the nearest integer, ties to even, in a loop
// that the compiler can vectorize. Codes have 16 bits at most: beyond, all is clipped alike.
constexpr float kRounder = 12582912.0F;
constexpr float kFarOutside = 2097152.0F;

float nearest(float v) {
  const float near = std::min(std::max(v, -kFarOutside), kFarOutside);
  return (near + kRounder) - kRounder;
}

constexpr std::size_t kLanes = 8;

struct Limits {
  float scale;
  float low;   // n − z
  float high;  // p − z
};

Limits limitsOf(const Grid& grid, const QuantParams& params) {
  return {grid.scale, static_cast<float>(params.qmin - grid.zeroPoint),
          static_cast<float>(params.qmax - grid.zeroPoint)};
}

/// Sums of one run, in lanes: the order is that of the elements, whatever the compiler makes of it.
struct RunSums {
  std::array<double, kLanes> scale{};
  std::array<double, kLanes> clipped{};

  static double sum(const std::array<double, kLanes>& lanes) {
    double total = 0;
    for (const double lane : lanes) total += lane;
    return total;
  }
};

void takeElement(float x, float g, float rounded, const Limits& limits, float* dx, double& scale,
                 double& clipped) {
  const float v = x / limits.scale;
  const bool inside = rounded >= limits.low && rounded <= limits.high;
  const float slope = inside ? rounded - v : std::min(std::max(rounded, limits.low), limits.high);
  scale += static_cast<double>(g * slope);
  clipped += static_cast<double>(inside ? 0.0F : g);
  if (dx != nullptr) *dx = inside ? g : 0.0F;
}

template <class Rounded>
RunSums takeRun(const float* x, const float* g, float* dx, std::size_t count, const Limits& limits,
                const Rounded& rounded) {
  RunSums sums;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = i + lane;
      takeElement(x[at], g[at], rounded(x[at] / limits.scale, at), limits,
                  dx == nullptr ? nullptr : dx + at, sums.scale[lane], sums.clipped[lane]);
    }
  }
  for (; i < count; ++i) {
    takeElement(x[i], g[i], rounded(x[i] / limits.scale, i), limits,
                dx == nullptr ? nullptr : dx + i, sums.scale[0], sums.clipped[0]);
  }
  return sums;
}

}  // namespace

StraightThrough straightThrough(const Tensor& x, const Tensor& dy, const QuantParams& params,
                                const RoundingNoise* noise, bool wantsX) {
  // Channels and noise count in logical order.
  const bool plain = params.perChannel() || noise != nullptr;
  const Layout layout = plain ? Layout::Plain : dy.layout();
  const Tensor at = toLayout(toFloat32(x), layout);
  const Tensor cotangent = toLayout(dy, layout);
  StraightThrough result;
  result.scales.resize(params.grids.size());
  result.zeroPoints.resize(params.grids.size());
  if (wantsX) result.x = Tensor(ElementType::Float32, at.shape(), layout);
  const float* const from = at.values<float>().data();
  const float* const g = cotangent.values<float>().data();
  float* const to = wantsX ? result.x.mutableValues<float>().data() : nullptr;
  forEachGridRun(
      at.shape(), params,
      [&](const Grid& grid, std::size_t index, std::size_t first, std::size_t end) {
        const Limits limits = limitsOf(grid, params);
        float* const dx = to == nullptr ? nullptr : to + first;
        const std::size_t count = end - first;
        const auto toNearest = [](float v, std::size_t) { return nearest(v); };
        const auto byNoise = [&](float v, std::size_t i) { return noise->rounded(v, first + i); };
        const RunSums sums = noise == nullptr
                                 ? takeRun(from + first, g + first, dx, count, limits, toNearest)
                                 : takeRun(from + first, g + first, dx, count, limits, byNoise);
        result.scales[index] += RunSums::sum(sums.scale);
        result.zeroPoints[index] -= static_cast<double>(grid.scale) * RunSums::sum(sums.clipped);
      });
  return result;
}

Tensor straightThroughFixed(const Tensor& x, const Tensor& dy, const QuantParams& params) {
  if (params.dynamic || params.grids.empty()) return dy;
  const Tensor at = toLayout(toFloat32(x), Layout::Plain);
  const Tensor cotangent = toLayout(dy, Layout::Plain);
  Tensor result(ElementType::Float32, at.shape());
  const float* const from = at.values<float>().data();
  const float* const g = cotangent.values<float>().data();
  float* const to = result.mutableValues<float>().data();
  forEachGridRun(at.shape(), params,
                 [&](const Grid& grid, std::size_t, std::size_t first, std::size_t end) {
                   const Range range = params.unclipped(grid);
                   for (std::size_t i = first; i < end; ++i) {
                     to[i] = from[i] >= range.low && from[i] <= range.high ? g[i] : 0.0F;
                   }
                 });
  return result;
}

}  // namespace quantscope
