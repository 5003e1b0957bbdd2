#include "repair/rounding/window_sums.h"

#include <algorithm>

namespace quantscope {
namespace {

// x[i] + x[i − stride] + x[i − 2·stride] + … of lines [axis.input, inner], in place.
void addUp(const WindowAxis& axis, std::span<double> lines, std::size_t inner) {
  const std::size_t back = static_cast<std::size_t>(axis.stride) * inner;
  for (std::size_t i = back; i < lines.size(); ++i) lines[i] += lines[i - back];
}

// sums[k] = Σ of line k·dilation − padBegin + o·stride over all outputs o where that lies inside.
void pickTaps(const WindowAxis& axis, std::span<const double> lines, std::size_t inner,
              std::span<double> sums) {
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t first = k * axis.dilation - axis.padBegin;
    const std::int64_t from = std::max<std::int64_t>(divideUp(-first, axis.stride), 0);
    const std::int64_t to =
        std::min(divideUp(axis.input - first, axis.stride), axis.output);  // one past
    double* const sum = sums.data() + static_cast<std::size_t>(k) * inner;
    if (from >= to) continue;
    const auto last = static_cast<std::size_t>(first + (to - 1) * axis.stride);
    std::copy_n(lines.data() + last * inner, inner, sum);
    const std::int64_t before = first + (from - 1) * axis.stride;
    if (before < 0) continue;
    const double* const less = lines.data() + static_cast<std::size_t>(before) * inner;
    for (std::size_t i = 0; i < inner; ++i) sum[i] -= less[i];
  }
}

}  // namespace

std::vector<double> windowSums(const Window& window, std::span<const float> plane) {
  std::vector<double> values(plane.begin(), plane.end());
  std::size_t inner = plane.size();
  std::size_t outer = 1;
  for (const WindowAxis& axis : window.axes) {
    const auto extent = static_cast<std::size_t>(axis.input);
    const auto kernel = static_cast<std::size_t>(axis.kernel);
    inner /= extent;
    std::vector<double> sums(outer * kernel * inner, 0.0);
    for (std::size_t i = 0; i < outer; ++i) {
      const std::span<double> lines(values.data() + i * extent * inner, extent * inner);
      addUp(axis, lines, inner);
      pickTaps(axis, lines, inner, {sums.data() + i * kernel * inner, kernel * inner});
    }
    outer *= kernel;
    values = std::move(sums);
  }
  return values;
}

}  // namespace quantscope
