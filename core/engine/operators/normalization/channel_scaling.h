#pragma once

#include <span>

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
    for (std::size_t position = 0; position < positions; ++position) {
      for (std::size_t c = 0; c < channels; ++c) to[c] = from[c] * scale[c] + shift[c];
      from += channels;
      to += channels;
    }
    return;
  }
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < positions; ++i) to[i] = from[i] * scale[c] + shift[c];
    from += positions;
    to += positions;
  }
}

/// Throws InvalidParameters unless `parameter` holds one value per channel.
void requirePerChannel(const Tensor& parameter, const char* what, std::int64_t channels);

/// The extent of axis 1. Throws InvalidParameters where there is none.
std::int64_t channelCount(const Tensor& x);

}  // namespace quantscope
