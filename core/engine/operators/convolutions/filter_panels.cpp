#include "engine/operators/convolutions/filter_panels.h"

#include <algorithm>
#include <vector>

#include "engine/panel_matrix.h"
#include "tensor/transpose_plane.h"

namespace quantscope {

void gatherFilters(const ConvolutionShapes& shapes, const Tensor& weights, std::size_t panel,
                   float* to) {
  constexpr auto kColumns = static_cast<std::int64_t>(kPanelColumns);
  const std::int64_t length = shapes.channelsPerGroup * shapes.window.taps();
  const std::int64_t first = static_cast<std::int64_t>(panel) * kColumns;
  const std::int64_t count = std::min(kColumns, shapes.filtersPerGroup - first);
  if (count < kColumns) std::fill_n(to, length * kColumns, 0.0F);
  transposePlane(
      reinterpret_cast<const std::byte*>(weights.values<float>().data() + first * length),
      reinterpret_cast<std::byte*>(to), sizeof(float),
      {.rows = length, .columns = count, .sourceStride = length, .targetStride = kColumns});
}

void packFilters(const ConvolutionShapes& shapes, const Tensor& weights, float* panels) {
  const auto taps = static_cast<std::size_t>(shapes.window.taps());
  const auto channels = static_cast<std::size_t>(shapes.channelsPerGroup);
  const std::size_t size = taps * channels * kPanelColumns;
  const std::size_t count = panelCount(static_cast<std::size_t>(shapes.filtersPerGroup));
  forEachPanel(taps * channels, count, [&](std::size_t begin, std::size_t end) {
    std::vector<float> gathered(taps == 1 ? 0 : size);
    for (std::size_t panel = begin; panel < end; ++panel) {
      float* to = panels + panel * size;
      if (taps == 1) {
        gatherFilters(shapes, weights, panel, to);
        continue;
      }
      gatherFilters(shapes, weights, panel, gathered.data());
      for (std::size_t tap = 0; tap < taps; ++tap) {
        const float* from = gathered.data() + tap * kPanelColumns;
        for (std::size_t channel = 0; channel < channels; ++channel) {
          to = std::copy_n(from, kPanelColumns, to);
          from += taps * kPanelColumns;
        }
      }
    }
  });
}

}  // namespace quantscope
