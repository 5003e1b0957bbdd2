#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/normalization/channel_scaling.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

struct ResponseSettings {
  float alpha, beta, bias;
  std::int64_t size;
};

// One position: `x` holds its channels, `squares` is room for as many.
template <class T>
void normalizeChannels(const ResponseSettings& settings, std::span<const T> x,
                       std::vector<T>& squares, T* y) {
  const auto channels = static_cast<std::int64_t>(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) squares[c] = x[c] * x[c];
  const T factor = static_cast<T>(settings.alpha) / static_cast<T>(settings.size);
  const std::int64_t before = (settings.size - 1) / 2;
  const std::int64_t behind = settings.size - 1 - before;
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t last = std::min(channels - 1, c + behind);
    T sum = 0;
    for (std::int64_t k = std::max<std::int64_t>(0, c - before); k <= last; ++k) {
      sum += squares[static_cast<std::size_t>(k)];
    }
    y[c] = x[static_cast<std::size_t>(c)] *
           std::pow(static_cast<T>(settings.bias) + factor * sum, -static_cast<T>(settings.beta));
  }
}

template <class T>
Tensor normalize(const ResponseSettings& settings, const Tensor& x) {
  const auto channels = static_cast<std::size_t>(channelCount(x));
  Tensor y(x.type(), x.shape(), x.layout());
  if (y.elementCount() == 0) return y;
  std::vector<T> squares(channels);
  const std::span<const T> source = x.values<T>();
  T* target = y.mutableValues<T>().data();
  for (std::size_t first = 0; first < source.size(); first += channels) {
    normalizeChannels(settings, source.subspan(first, channels), squares, target + first);
  }
  return y;
}

}  // namespace

std::unique_ptr<Kernel> makeLocalResponseNormalization(const Node& node, const Graph& /*graph*/) {
  const ResponseSettings settings{node.real("alpha", 1e-4F), node.real("beta", 0.75F),
                                  node.real("bias", 1), node.integer("size", 1)};
  if (settings.size < 1) {
    throw Error(ErrorCode::InvalidModel, "LRN has the size " + std::to_string(settings.size));
  }
  const auto run = [settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor x = toLayout(requiredInput(inputs, 0), Layout::ChannelsLast);
    setOutput(outputs, 0,
              x.type() == ElementType::Float64 ? normalize<double>(settings, x)
                                               : normalize<float>(settings, x));
  };
  return makeKernel(run, Kernel::InputLayout::ChannelsLast);
}

}  // namespace quantscope
