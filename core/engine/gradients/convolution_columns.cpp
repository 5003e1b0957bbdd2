#include "engine/gradients/convolution_columns.h"

#include <algorithm>
#include <vector>

#include "engine/onednn/sgemm.h"
#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

// Elements of the rows that are laid out at once: they should stay in the second cache level.
constexpr std::int64_t kColumnElements = std::int64_t{1} << 17;

// One group of a convolution; images are channels-last.
struct ColumnGroup {
  ColumnGroup(const ConvolutionShapes& shapes, const Shape& u, std::int64_t group)
      : inputs(u.elementCount(2, u.rank())),
        allChannels(u[1]),
        allFilters(shapes.groups * shapes.filtersPerGroup),
        channels(shapes.channelsPerGroup),
        filters(shapes.filtersPerGroup),
        taps(shapes.window.taps()),
        positions(shapes.window.positions()),
        firstChannel(group * channels),
        firstFilter(group * filters),
        chunk(std::clamp<std::int64_t>(kColumnElements / (taps * channels), 1, positions)) {}

  std::int64_t width() const { return taps * channels; }

  std::int64_t inputs, allChannels, allFilters, channels, filters, taps, positions;
  std::int64_t firstChannel, firstFilter;
  std::int64_t chunk;  // positions at once
};

// Calls body(first position, count) for neighbouring chunks.
template <class Body>
void forEachChunk(const ColumnGroup& group, const Body& body) {
  for (std::int64_t first = 0; first < group.positions; first += group.chunk) {
    body(first, std::min(group.chunk, group.positions - first));
  }
}

// [filters, taps · channels] from or to plain weights [filters, channels, taps] of one group.
std::vector<float> tapsFirst(const ColumnGroup& group, const float* weights) {
  std::vector<float> result(static_cast<std::size_t>(group.filters * group.width()));
  for (std::int64_t f = 0; f < group.filters; ++f) {
    for (std::int64_t c = 0; c < group.channels; ++c) {
      for (std::int64_t t = 0; t < group.taps; ++t) {
        result[static_cast<std::size_t>((f * group.taps + t) * group.channels + c)] =
            weights[(f * group.channels + c) * group.taps + t];
      }
    }
  }
  return result;
}

void channelsFirst(const ColumnGroup& group, const std::vector<float>& from, float* weights) {
  for (std::int64_t f = 0; f < group.filters; ++f) {
    for (std::int64_t c = 0; c < group.channels; ++c) {
      for (std::int64_t t = 0; t < group.taps; ++t) {
        weights[(f * group.channels + c) * group.taps + t] =
            from[static_cast<std::size_t>((f * group.taps + t) * group.channels + c)];
      }
    }
  }
}

// The rows [count, filters] of a chunk of v.
void copyRows(const ColumnGroup& group, const float* v, std::int64_t first, std::int64_t count,
              std::vector<float>& rows) {
  rows.resize(static_cast<std::size_t>(count * group.filters));
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(v + (first + i) * group.allFilters + group.firstFilter, group.filters,
                rows.data() + i * group.filters);
  }
}

// Each output is a sum over one place of the input.
bool seesSinglePixels(const ConvolutionShapes& shapes) {
  const auto single = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.padBegin == 0 && axis.padEnd == 0;
  };
  return shapes.groups == 1 && std::ranges::all_of(shapes.window.axes, single);
}

}  // namespace

Tensor convolutionDataByColumns(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
                                const Tensor& weights) {
  const Tensor given = toLayout(v, Layout::ChannelsLast);
  Tensor result(ElementType::Float32, u, Layout::ChannelsLast);
  std::ranges::fill(result.mutableValues<float>(), 0.0F);
  WindowWalker walker(shapes.window);
  std::vector<float> rows;
  std::vector<float> columns;
  for (std::int64_t index = 0; index < shapes.groups; ++index) {
    const ColumnGroup group(shapes, u, index);
    const std::vector<float> filters =
        tapsFirst(group, weights.values<float>().data() + group.firstFilter * group.width());
    for (std::int64_t n = 0; n < u[0]; ++n) {
      const float* const from =
          given.values<float>().data() + n * group.positions * group.allFilters;
      float* const to = result.mutableValues<float>().data() +
                        n * group.inputs * group.allChannels + group.firstChannel;
      forEachChunk(group, [&](std::int64_t first, std::int64_t count) {
        copyRows(group, from, first, count, rows);
        columns.resize(static_cast<std::size_t>(count * group.width()));
        onednn::multiplyAtOnce({rows.data()}, {filters.data()}, columns.data(), count,
                               group.width(), group.filters);
        for (std::int64_t i = 0; i < count; ++i) {
          for (const WindowWalker::Tap& tap : walker.at(first + i)) {
            const float* const row = columns.data() + i * group.width() + tap.tap * group.channels;
            float* const target = to + tap.source * group.allChannels;
            for (std::int64_t c = 0; c < group.channels; ++c) target[c] += row[c];
          }
        }
      });
    }
  }
  return result;
}

Tensor convolutionWeightsByColumns(const ConvolutionShapes& shapes, const Tensor& u,
                                   const Tensor& v) {
  const Tensor source = toLayout(u, Layout::ChannelsLast);
  const Tensor given = toLayout(v, Layout::ChannelsLast);
  const Shape shape = weightsShape(shapes);
  Tensor result(ElementType::Float32, shape);
  float* const to = result.mutableValues<float>().data();
  const float* const x = source.values<float>().data();
  const float* const g = given.values<float>().data();
  if (seesSinglePixels(shapes)) {
    // The images are the rows already, and the weights have one tap.
    onednn::multiplyAtOnce({g, true}, {x}, to, shape[0], shape[1],
                           u.shape()[0] * shapes.window.positions());
    return result;
  }
  WindowWalker walker(shapes.window);
  std::vector<float> columns;
  for (std::int64_t index = 0; index < shapes.groups; ++index) {
    const ColumnGroup group(shapes, u.shape(), index);
    std::vector<float> sums(static_cast<std::size_t>(group.filters * group.width()));
    for (std::int64_t n = 0; n < u.shape()[0]; ++n) {
      const float* const image = x + n * group.inputs * group.allChannels + group.firstChannel;
      const float* const rows = g + n * group.positions * group.allFilters + group.firstFilter;
      forEachChunk(group, [&](std::int64_t first, std::int64_t count) {
        columns.assign(static_cast<std::size_t>(count * group.width()), 0.0F);
        for (std::int64_t i = 0; i < count; ++i) {
          for (const WindowWalker::Tap& tap : walker.at(first + i)) {
            std::copy_n(image + tap.source * group.allChannels, group.channels,
                        columns.data() + i * group.width() + tap.tap * group.channels);
          }
        }
        onednn::multiplyAtOnce({rows + first * group.allFilters, true, group.allFilters},
                               {columns.data()}, sums.data(), group.filters, group.width(), count,
                               n > 0 || first > 0);
      });
    }
    channelsFirst(group, sums, to + group.firstFilter * group.width());
  }
  return result;
}

}  // namespace quantscope
