#pragma once

#include <algorithm>
#include <span>

#include "base/part_loop.h"
#include "tensor/tensor.h"

namespace quantscope {

/// y = x · scale[channel] + shift[channel] for image `image` of x [N, C, D1, …], in either layout;
/// y has the layout of x. Scalars of T: float or double.
template <class T>
void scaleChannels(const Tensor& x, std::int64_t image, std::span<const T> scale,
                   std::span<const T> shift, T* y) {
  const auto channels = scale.size();
  const auto positions = static_cast<std::size_t>(
      x.shape().rank() > 2 ? x.shape().elementCount(2, x.shape().rank()) : 1);
  const std::size_t offset = static_cast<std::size_t>(image) * channels * positions;
  const T* from = x.values<T>().data() + offset;
  T* to = y + offset;
  if (x.layout() == Layout::ChannelsLast || positions == 1) {
    const std::size_t grain =
        std::max<std::size_t>(1, kPieceElements / std::max<std::size_t>(1, channels));
    forEachPiece(positions, grain, [&](std::size_t position, std::size_t end) {
      for (; position < end; ++position) {
        const std::size_t row = position * channels;
        for (std::size_t c = 0; c < channels; ++c) {
          to[row + c] = from[row + c] * scale[c] + shift[c];
        }
      }
    });
    return;
  }
  const std::size_t grain =
      std::max<std::size_t>(1, kPieceElements / std::max<std::size_t>(1, positions));
  forEachPiece(channels, grain, [&](std::size_t c, std::size_t end) {
    for (; c < end; ++c) {
      const std::size_t row = c * positions;
      for (std::size_t i = row; i < row + positions; ++i) to[i] = from[i] * scale[c] + shift[c];
    }
  });
}

/// Throws InvalidParameters unless `parameter` holds one value per channel.
void requirePerChannel(const Tensor& parameter, const char* what, std::int64_t channels);

/// The extent of axis 1. Throws InvalidParameters where there is none.
std::int64_t channelCount(const Tensor& x);

}  // namespace quantscope
