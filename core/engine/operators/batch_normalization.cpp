#include <cmath>
#include <vector>

#include "base/error.h"
#include "engine/operators/channel_scaling.h"
#include "engine/operators/mean_variance.h"
#include "engine/operators/normalization.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

struct Settings {
  float epsilon;
  float momentum;
  bool training;
};

// Over all images and positions, per channel.
template <class T>
std::vector<MeanVariance> batchMoments(const Tensor& x) {
  const Tensor rows = toLayout(x, Layout::ChannelsLast);
  std::vector<MeanVariance> moments(static_cast<std::size_t>(x.shape()[1]));
  if (moments.empty()) return moments;
  columnMoments<T>(rows.values<T>().data(),
                   static_cast<std::int64_t>(x.elementCount() / moments.size()),
                   std::span<MeanVariance>(moments));
  return moments;
}

template <class T>
Tensor blended(const Tensor& running, const std::vector<MeanVariance>& moments,
               double MeanVariance::*statistic, double momentum) {
  Tensor result(running.type(), running.shape());
  const std::span<const T> old = running.values<T>();
  const std::span<T> target = result.mutableValues<T>();
  for (std::size_t c = 0; c < target.size(); ++c) {
    target[c] = static_cast<T>(static_cast<double>(old[c]) * momentum +
                               moments[c].*statistic * (1 - momentum));
  }
  return result;
}

template <class T>
void normalize(const Settings& settings, std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  const std::int64_t channels = channelCount(x);
  for (std::size_t i = 1; i < 5; ++i) {
    requirePerChannel(requiredInput(inputs, i), "a parameter", channels);
  }
  const std::span<const T> gain = inputs[1].values<T>();
  const std::span<const T> bias = inputs[2].values<T>();
  const std::span<const T> mean = inputs[3].values<T>();
  const std::span<const T> variance = inputs[4].values<T>();
  std::vector<MeanVariance> moments;
  if (settings.training) moments = batchMoments<T>(x);
  std::vector<T> scale(gain.size());
  std::vector<T> shift(gain.size());
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const T center = settings.training ? static_cast<T>(moments[c].mean) : mean[c];
    const T spread = settings.training ? static_cast<T>(moments[c].variance) : variance[c];
    scale[c] = gain[c] / std::sqrt(spread + static_cast<T>(settings.epsilon));
    shift[c] = bias[c] - center * scale[c];
  }
  Tensor y(x.type(), x.shape(), x.layout());
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    scaleChannels<T>(x, n, scale, shift, y.mutableValues<T>().data());
  }
  if (settings.training) {
    setOutput(outputs, 1, blended<T>(inputs[3], moments, &MeanVariance::mean, settings.momentum));
    setOutput(outputs, 2,
              blended<T>(inputs[4], moments, &MeanVariance::variance, settings.momentum));
  }
  setOutput(outputs, 0, std::move(y));
}

// Before version 9 there may be parameters [C, D1, …] for every position: as many channels then.
void flatten(std::span<Tensor> inputs) {
  const Shape& shape = inputs[0].shape();
  if (shape.rank() < 2) return;
  const Shape flat{shape[0], shape.elementCount(1, shape.rank())};
  inputs[0] = toLayout(inputs[0], Layout::Plain).reshaped(flat);
  for (Tensor& parameter : inputs.subspan(1)) {
    if (!parameter.defined()) continue;
    parameter = parameter.reshaped({static_cast<std::int64_t>(parameter.elementCount())});
  }
}

}  // namespace

std::unique_ptr<Kernel> makeBatchNormalization(const Node& node, const Graph& /*graph*/) {
  const bool perPosition = node.integer("spatial", 1) == 0;
  const Settings settings{node.real("epsilon", 1e-5F), node.real("momentum", 0.9F),
                          node.integer("training_mode", 0) != 0};
  const auto run = [settings, perPosition](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Shape shape = requiredInput(inputs, 0).shape();
    if (perPosition) flatten(inputs);
    if (requiredInput(inputs, 0).type() == ElementType::Float64) {
      normalize<double>(settings, inputs, outputs);
    } else {
      normalize<float>(settings, inputs, outputs);
    }
    if (perPosition) outputs[0] = outputs[0].reshaped(shape);
  };
  return makeKernel(run, Kernel::InputLayout::Any);
}

}  // namespace quantscope
