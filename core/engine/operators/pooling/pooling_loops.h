#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/part_loop.h"
#include "engine/operators/window.h"
#include "engine/operators/window_walker.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The shape that pooling [N, C, …] under `window` gives.
inline Shape pooledShape(const Shape& input, const Window& window) {
  Shape shape{input[0], input[1]};
  for (const WindowAxis& axis : window.axes) shape.append(axis.output);
  return shape;
}

/// A window over all spatial axes at once.
inline Window globalWindow(const Shape& input) {
  Window window;
  for (std::size_t i = 2; i < input.rank(); ++i) {
    window.axes.push_back({.input = input[i], .kernel = input[i]});
  }
  return window;
}

/// Where the rows of `channels` elements that the taps see begin; `starts` is used anew.
inline std::span<const std::int64_t> rowStarts(std::span<const WindowWalker::Tap> taps,
                                               std::int64_t channels,
                                               std::vector<std::int64_t>& starts) {
  starts.resize(taps.size());
  for (std::size_t i = 0; i < taps.size(); ++i) starts[i] = taps[i].source * channels;
  return starts;
}

/// Calls visit(n, position, taps, rows of image n, output row) for every row of C outputs of a
/// channels-last tensor, in parts of an item, each with a `visit` = makeVisit() of its own. `y`
/// must have the pooled shape, channels-last too.
template <class T, class MakeVisit>
void forEachPooledRow(const Tensor& x, const Window& window, Tensor& y,
                      const MakeVisit& makeVisit) {
  const std::int64_t channels = x.shape()[1];
  const std::int64_t inputs = x.shape().elementCount(2, x.shape().rank());
  const std::int64_t outputs = window.positions();
  const T* source = x.values<T>().data();
  T* target = y.mutableValues<T>().data();
  const std::int64_t elements = std::max<std::int64_t>(1, x.shape()[0] * channels * window.taps());
  const std::int64_t grain =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceElements) / elements);
  forEachPiece(static_cast<std::size_t>(outputs), static_cast<std::size_t>(grain),
               [&](std::size_t first, std::size_t end) {
                 auto visit = makeVisit();
                 WindowWalker walker(window);
                 for (auto position = static_cast<std::int64_t>(first);
                      position < static_cast<std::int64_t>(end); ++position) {
                   const std::span<const WindowWalker::Tap> taps = walker.at(position);
                   for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
                     visit(n, position, taps, source + n * inputs * channels,
                           target + (n * outputs + position) * channels);
                   }
                 }
               });
}

}  // namespace quantscope
