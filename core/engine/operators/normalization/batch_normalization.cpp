#include <cmath>
#include <vector>

#include "base/error.h"
#include "engine/fusion/element_chain.h"
#include "engine/operators/normalization/channel_scaling.h"
#include "engine/operators/normalization/mean_variance.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

struct BatchSettings {
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

// The parameters of a channel's y = x · scale + shift.
template <class T>
struct Scaling {
  std::vector<T> scale, shift;

  Scaling(std::span<const T> gain, std::span<const T> bias, float epsilon)
      : scale(gain.begin(), gain.end()), shift(bias.begin(), bias.end()), m_epsilon(epsilon) {}
  void center(std::size_t c, T mean, T variance) {
    scale[c] /= std::sqrt(variance + static_cast<T>(m_epsilon));
    shift[c] -= mean * scale[c];
  }

 private:
  float m_epsilon;
};

void requireParameters(std::span<Tensor> inputs, std::int64_t channels) {
  for (std::size_t i = 1; i < 5; ++i) {
    requirePerChannel(requiredInput(inputs, i), "a parameter", channels);
  }
}

template <class T>
void normalize(const BatchSettings& settings, std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  requireParameters(inputs, channelCount(x));
  const std::span<const T> mean = inputs[3].values<T>();
  const std::span<const T> variance = inputs[4].values<T>();
  std::vector<MeanVariance> moments;
  if (settings.training) moments = batchMoments<T>(x);
  Scaling<T> scaling(inputs[1].values<T>(), inputs[2].values<T>(), settings.epsilon);
  for (std::size_t c = 0; c < mean.size(); ++c) {
    scaling.center(c, settings.training ? static_cast<T>(moments[c].mean) : mean[c],
                   settings.training ? static_cast<T>(moments[c].variance) : variance[c]);
  }
  Tensor y(x.type(), x.shape(), x.layout());
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    scaleChannels<T>(x, n, scaling.scale, scaling.shift, y.mutableValues<T>().data());
  }
  if (settings.training) {
    setOutput(outputs, 1, blended<T>(inputs[3], moments, &MeanVariance::mean, settings.momentum));
    setOutput(outputs, 2,
              blended<T>(inputs[4], moments, &MeanVariance::variance, settings.momentum));
  }
  setOutput(outputs, 0, std::move(y));
}

// [C] as [C, 1, …], to be broadcast to x.
Tensor besideChannels(const std::vector<float>& values, std::size_t rank) {
  Shape shape{static_cast<std::int64_t>(values.size())};
  while (shape.rank() + 1 < rank) shape.append(1);
  return Tensor::of<float>(shape, values);
}

bool appendNormalization(float epsilon, ElementChain& chain, std::span<Tensor> inputs,
                         std::size_t chained) {
  if (chained != 0) return false;
  const Tensor& x = chain.carrier();
  requireParameters(inputs, channelCount(x));
  Scaling<float> scaling(inputs[1].values<float>(), inputs[2].values<float>(), epsilon);
  const std::span<const float> mean = inputs[3].values<float>();
  const std::span<const float> variance = inputs[4].values<float>();
  for (std::size_t c = 0; c < mean.size(); ++c) scaling.center(c, mean[c], variance[c]);
  const std::size_t rank = x.shape().rank();
  return chain.append(BinaryElement::Multiply, besideChannels(scaling.scale, rank)) &&
         chain.append(BinaryElement::Add, besideChannels(scaling.shift, rank));
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
  const BatchSettings settings{node.real("epsilon", 1e-5F), node.real("momentum", 0.9F),
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
  if (settings.training || perPosition) return makeKernel(run, Kernel::InputLayout::Any);
  return makeElementwiseKernel(
      run, [epsilon = settings.epsilon](ElementChain& chain, std::span<Tensor> inputs,
                                        std::size_t chained) {
        return appendNormalization(epsilon, chain, inputs, chained);
      });
}

}  // namespace quantscope
