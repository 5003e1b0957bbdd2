#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/operators/normalization/mean_variance.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

struct LayerSettings {
  std::int64_t axis;
  float epsilon;
};

// One value per normalized element, or one for all.
template <class T>
std::span<const T> parameterValues(const Tensor& parameter, std::size_t count) {
  if (parameter.elementCount() == count || parameter.elementCount() == 1) {
    return parameter.values<T>();
  }
  throw Error(ErrorCode::InvalidParameters, "a parameter of shape " + toString(parameter.shape()) +
                                                " does not fit the normalized axes of " +
                                                std::to_string(count) + " elements");
}

template <class T>
void normalizeRow(std::span<const T> x, const MeanVariance& moments, T inverse,
                  std::span<const T> gain, std::span<const T> bias, T* y) {
  const T mean = static_cast<T>(moments.mean);
  const std::size_t gainStep = gain.size() > 1 ? 1 : 0;
  const std::size_t biasStep = bias.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = (x[i] - mean) * inverse * gain[i * gainStep] + bias[i * biasStep];
  }
}

template <class T>
void normalize(const LayerSettings& settings, std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  const std::size_t axis = normalizeAxis(settings.axis, x.shape().rank());
  const auto rows = static_cast<std::size_t>(x.shape().elementCount(0, axis));
  const auto count = static_cast<std::size_t>(x.shape().elementCount(axis, x.shape().rank()));
  const std::span<const T> gain = parameterValues<T>(requiredInput(inputs, 1), count);
  const Tensor bias = inputOrUndefined(inputs, 2);
  const T zero[1] = {0};
  const std::span<const T> shift = bias.defined() ? parameterValues<T>(bias, count) : zero;

  Shape statistics = x.shape();
  for (std::size_t i = axis; i < statistics.rank(); ++i) statistics[i] = 1;
  Tensor means(x.type(), statistics);
  Tensor inverses(x.type(), statistics);
  Tensor y(x.type(), x.shape());
  const std::span<const T> source = x.values<T>();
  const std::size_t grain =
      std::max<std::size_t>(1, kPieceElements / 2 / std::max<std::size_t>(1, count));
  forEachPiece(rows, grain, [&](std::size_t row, std::size_t end) {
    for (; row < end; ++row) {
      const std::span<const T> elements = source.subspan(row * count, count);
      const MeanVariance moments = meanVarianceOf(elements);
      const T inverse =
          static_cast<T>(1 / std::sqrt(moments.variance + static_cast<double>(settings.epsilon)));
      means.mutableValues<T>()[row] = static_cast<T>(moments.mean);
      inverses.mutableValues<T>()[row] = inverse;
      normalizeRow(elements, moments, inverse, gain, shift,
                   y.mutableValues<T>().data() + row * count);
    }
  });
  setOutput(outputs, 0, std::move(y));
  setOutput(outputs, 1, std::move(means));
  setOutput(outputs, 2, std::move(inverses));
}

}  // namespace

std::unique_ptr<Kernel> makeLayerNormalization(const Node& node, const Graph& /*graph*/) {
  const LayerSettings settings{node.integer("axis", -1), node.real("epsilon", 1e-5F)};
  const auto run = [settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    if (requiredInput(inputs, 0).type() == ElementType::Float64) {
      normalize<double>(settings, inputs, outputs);
    } else {
      normalize<float>(settings, inputs, outputs);
    }
  };
  return makeKernel(run);
}

}  // namespace quantscope
