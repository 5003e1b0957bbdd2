#include "analysis/errors/tensor_errors.h"

#include "engine/channels_along.h"

namespace quantscope {
namespace {

// How the elements of one sample lie in memory: `items` entries of axis 0, channels on `axis` > 0.
ChannelLayout layoutOf(const Tensor& tensor, int axis, std::size_t items) {
  Shape sample = tensor.shape();
  sample[0] = static_cast<std::int64_t>(items);
  return channelsAlong(sample, static_cast<std::size_t>(axis), tensor.layout());
}

}  // namespace

ErrorSums total(const ChannelSums& channels) {
  ErrorSums sum;
  for (const ErrorSums& channel : channels) sum.add(channel);
  return sum;
}

void addSample(ChannelSums& channels, const ChannelSums& sample) {
  if (sample.size() > channels.size()) channels.resize(sample.size());
  for (std::size_t c = 0; c < sample.size(); ++c) channels[c].add(sample[c]);
}

void addErrors(const Tensor& reference, const Tensor& value, ChannelAxis channelAxis,
               std::size_t batch, std::span<ChannelSums> result) {
  const int axis = channelAxis.of(reference.shape().rank());
  const bool byChannel = axis > 0 && reference.shape()[static_cast<std::size_t>(axis)] > 0;
  const Layout layout = byChannel && axis != 1 ? Layout::Plain : reference.layout();
  const Tensor x = toFloat32(toLayout(reference, layout));
  const Tensor y = toFloat32(toLayout(value, layout));
  visitSamples(
      x, batch, result.size(), [&](std::size_t sample, std::size_t first, std::size_t count) {
        const std::span<const float> expected = x.values<float>().subspan(first, count);
        const std::span<const float> actual = y.values<float>().subspan(first, count);
        ChannelSums& sums = result[sample];
        if (!byChannel) {
          if (sums.empty()) sums.resize(1);
          sums[0].add(errorSums(expected, actual));
          return;
        }
        const auto items = count == x.elementCount() ? static_cast<std::size_t>(x.shape()[0]) : 1;
        const ChannelLayout channels = layoutOf(x, axis, items);
        if (sums.size() != channels.channels) sums.resize(channels.channels);
        errorSumsPerChannel(expected, actual, channels, sums);
      });
}

}  // namespace quantscope
