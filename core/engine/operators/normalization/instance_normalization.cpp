#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/operators/normalization/channel_scaling.h"
#include "engine/operators/normalization/mean_variance.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/normalization/packet_sum.h"
#include "engine/operators/operands.h"
#include "kernels/network/packet_columns.h"

namespace quantscope {
namespace {

// Mean and variance of each channel of one image.
struct ChannelMoments {
  explicit ChannelMoments(std::size_t channels) : mean(channels), variance(channels) {}
  std::vector<float> mean;
  std::vector<float> variance;
};

void findMoments(const Tensor& x, std::size_t image, ChannelMoments& moments) {
  const std::size_t channels = moments.mean.size();
  const std::size_t perImage = x.elementCount() / static_cast<std::size_t>(x.shape()[0]);
  const std::size_t positions = perImage / channels;
  const std::span<const float> elements = x.values<float>().subspan(image * perImage, perImage);
  const auto count = static_cast<float>(positions);
  if (x.layout() == Layout::ChannelsLast) {
    packetColumnSums(elements.data(), positions, moments.mean);
    for (float& mean : moments.mean) mean /= count;
    packetColumnSquares(elements.data(), positions, moments.mean, moments.variance);
    for (float& variance : moments.variance) variance /= count;
    return;
  }
  const auto findChannel = [&](std::size_t c) {
    const std::span<const float> channel = elements.subspan(c * positions, positions);
    // The first vector starts where its address allows.
    const std::size_t misplaced = (image * channels + c) * positions % kPacket;
    const std::size_t start = (kPacket - misplaced) % kPacket;
    const float mean = packetSum(channel, start, [](float value) { return value; }) / count;
    const auto square = [mean](float value) { return (value - mean) * (value - mean); };
    moments.mean[c] = mean;
    moments.variance[c] = packetSum(channel, 0, square) / count;
  };
  const std::size_t grain = std::max<std::size_t>(1, kPieceElements / positions);
  forEachPiece(channels, grain, [&](std::size_t first, std::size_t end) {
    for (std::size_t c = first; c < end; ++c) findChannel(c);
  });
}

// Computes in float, in the order of ONNX Runtime: sums over hundreds of thousands of pixels lose
// four digits there, and networks that normalize fifteen times in a row show it in their pictures.
Tensor normalizeFloat(Tensor& given, std::span<const float> gain, std::span<const float> bias,
                      float epsilon) {
  const auto channels = static_cast<std::size_t>(given.shape()[1]);
  if (given.elementCount() == 0) return given;
  const std::size_t positions =
      given.elementCount() / static_cast<std::size_t>(given.shape()[0]) / channels;
  if (positions % kPacket != 0) given = toLayout(given, Layout::Plain);
  // Writes over x if it is the sole owner: an image is only written to once its moments are known.
  const bool alone = given.soleOwner();
  const Tensor x = alone ? std::move(given) : given;
  Tensor y = alone ? x : Tensor(x.type(), x.shape(), x.layout());
  ChannelMoments moments(channels);
  std::vector<float> scale(channels);
  std::vector<float> shift(channels);
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    findMoments(x, static_cast<std::size_t>(n), moments);
    for (std::size_t c = 0; c < channels; ++c) {
      scale[c] = 1.0F / std::sqrt(moments.variance[c] + epsilon) * gain[c];
      shift[c] = bias[c] - moments.mean[c] * scale[c];
    }
    scaleChannels<float>(x, n, scale, shift, y.mutableValues<float>().data());
  }
  return y;
}

// The same in double.
template <class T>
void imageMoments(const Tensor& x, std::int64_t image, std::span<MeanVariance> moments) {
  const std::size_t perImage = x.elementCount() / static_cast<std::size_t>(x.shape()[0]);
  const std::span<const T> elements =
      x.values<T>().subspan(static_cast<std::size_t>(image) * perImage, perImage);
  const std::size_t positions = perImage / moments.size();
  if (x.layout() == Layout::ChannelsLast) {
    columnMoments<T>(elements.data(), static_cast<std::int64_t>(positions), moments);
    return;
  }
  for (std::size_t c = 0; c < moments.size(); ++c) {
    moments[c] = meanVarianceOf<T>(elements.subspan(c * positions, positions));
  }
}

// Statistics of each group, repeated for its channels. Plain layout: a group is contiguous.
template <class T>
void groupMoments(const Tensor& x, std::int64_t image, std::size_t groups,
                  std::span<MeanVariance> moments) {
  const std::size_t perImage = x.elementCount() / static_cast<std::size_t>(x.shape()[0]);
  const std::size_t perGroup = perImage / groups;
  const std::size_t channels = moments.size() / groups;
  const std::span<const T> elements =
      x.values<T>().subspan(static_cast<std::size_t>(image) * perImage, perImage);
  for (std::size_t group = 0; group < groups; ++group) {
    const MeanVariance shared = meanVarianceOf<T>(elements.subspan(group * perGroup, perGroup));
    std::fill_n(moments.begin() + static_cast<std::ptrdiff_t>(group * channels), channels, shared);
  }
}

template <class T, class FindMoments>
Tensor normalizeImages(const Tensor& x, std::span<const T> gain, std::span<const T> bias,
                       float epsilon, const FindMoments& findMoments) {
  const auto channels = static_cast<std::size_t>(x.shape()[1]);
  Tensor y(x.type(), x.shape(), x.layout());
  if (y.elementCount() == 0) return y;
  std::vector<MeanVariance> moments(channels);
  std::vector<T> scale(channels);
  std::vector<T> shift(channels);
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    findMoments(n, std::span<MeanVariance>(moments));
    for (std::size_t c = 0; c < channels; ++c) {
      const double factor = static_cast<double>(gain[c * gain.size() / channels]) /
                            std::sqrt(moments[c].variance + static_cast<double>(epsilon));
      scale[c] = static_cast<T>(factor);
      shift[c] = static_cast<T>(static_cast<double>(bias[c * bias.size() / channels]) -
                                moments[c].mean * factor);
    }
    scaleChannels<T>(x, n, scale, shift, y.mutableValues<T>().data());
  }
  return y;
}

template <class T>
Tensor instanceNormalize(std::span<Tensor> inputs, float epsilon) {
  Tensor& x = requiredInput(inputs, 0);
  const std::int64_t channels = channelCount(x);
  requirePerChannel(requiredInput(inputs, 1), "a scale", channels);
  requirePerChannel(requiredInput(inputs, 2), "a bias", channels);
  if constexpr (std::is_same_v<T, float>) {
    return normalizeFloat(x, inputs[1].values<float>(), inputs[2].values<float>(), epsilon);
  }
  return normalizeImages<T>(
      x, inputs[1].values<T>(), inputs[2].values<T>(), epsilon,
      [&](std::int64_t n, std::span<MeanVariance> moments) { imageMoments<T>(x, n, moments); });
}

template <class T>
Tensor groupNormalize(std::span<Tensor> inputs, float epsilon, std::int64_t groups, bool perGroup) {
  const Tensor& x = requiredInput(inputs, 0);
  const std::int64_t channels = channelCount(x);
  if (channels % groups != 0) {
    throw Error(ErrorCode::InvalidParameters, std::to_string(channels) +
                                                  " channels cannot be divided into " +
                                                  std::to_string(groups) + " groups");
  }
  const std::int64_t parameters = perGroup ? groups : channels;
  requirePerChannel(requiredInput(inputs, 1), "a scale", parameters);
  requirePerChannel(requiredInput(inputs, 2), "a bias", parameters);
  return normalizeImages<T>(x, inputs[1].values<T>(), inputs[2].values<T>(), epsilon,
                            [&](std::int64_t n, std::span<MeanVariance> moments) {
                              groupMoments<T>(x, n, static_cast<std::size_t>(groups), moments);
                            });
}

}  // namespace

std::unique_ptr<Kernel> makeInstanceNormalization(const Node& node, const Graph& /*graph*/) {
  const float epsilon = node.real("epsilon", 1e-5F);
  const auto run = [epsilon](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    setOutput(outputs, 0,
              requiredInput(inputs, 0).type() == ElementType::Float64
                  ? instanceNormalize<double>(inputs, epsilon)
                  : instanceNormalize<float>(inputs, epsilon));
  };
  return makeKernel(run, Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> makeGroupNormalization(const Node& node, const Graph& /*graph*/) {
  const float epsilon = node.real("epsilon", 1e-5F);
  const std::int64_t groups = node.integer("num_groups", 1);
  if (groups < 1) {
    throw Error(ErrorCode::InvalidModel,
                "GroupNormalization has " + std::to_string(groups) + " groups");
  }
  // Version 21 changed scale and bias from one per group to one per channel.
  const bool perGroup = node.version < 21;
  const auto run = [=](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    setOutput(outputs, 0,
              requiredInput(inputs, 0).type() == ElementType::Float64
                  ? groupNormalize<double>(inputs, epsilon, groups, perGroup)
                  : groupNormalize<float>(inputs, epsilon, groups, perGroup));
  };
  return makeKernel(run);
}

}  // namespace quantscope
