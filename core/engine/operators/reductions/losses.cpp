// Losses appear in graphs that were exported together with their evaluation.

#include "engine/operators/reductions/losses.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

enum class Reduction { None, Sum, Mean };

struct Settings {
  Reduction reduction = Reduction::Mean;
  std::optional<std::int64_t> ignored;

  explicit Settings(const Node& node) {
    const std::string text = node.text("reduction", "mean");
    if (text == "none") reduction = Reduction::None;
    if (text == "sum") reduction = Reduction::Sum;
    if (node.has("ignore_index")) ignored = node.integer("ignore_index", 0);
  }
};

// [N, C, D1, …] and the classes [N, D1, …]
void requireFit(const Shape& x, const Shape& classes) {
  Shape wanted;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (i != 1) wanted.append(x[i]);
  }
  if (x.rank() >= 2 && classes == wanted) return;
  throw Error(ErrorCode::InvalidParameters, "classes of shape " + toString(classes) +
                                                " do not fit scores of shape " + toString(x));
}

// x [N, C, inner]
template <class T>
Tensor logSoftmax(const Tensor& x) {
  Tensor y(x.type(), x.shape());
  const std::int64_t classes = x.shape()[1];
  const std::int64_t inner = x.shape().elementCount(2, x.shape().rank());
  for (std::int64_t i = 0; i < x.shape()[0] * inner; ++i) {
    const std::int64_t first = i / inner * classes * inner + i % inner;
    const T* from = x.values<T>().data() + first;
    T* to = y.mutableValues<T>().data() + first;
    auto largest = static_cast<double>(from[0]);
    for (std::int64_t c = 1; c < classes; ++c) {
      largest = std::max(largest, static_cast<double>(from[c * inner]));
    }
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      sum += std::exp(static_cast<double>(from[c * inner]) - largest);
    }
    const double offset = largest + std::log(sum);
    for (std::int64_t c = 0; c < classes; ++c) {
      to[c * inner] = static_cast<T>(static_cast<double>(from[c * inner]) - offset);
    }
  }
  return y;
}

// −w[t]·x[t] per element; their sum; or that by the sum of the weights.
template <class T>
Tensor likelihoodLoss(const Settings& settings, const Tensor& x, const Tensor& classes,
                      const Tensor& weights) {
  requireFit(x.shape(), classes.shape());
  const std::int64_t count = x.shape()[1];
  if (weights.defined() && weights.shape() != Shape{count}) {
    throw Error(ErrorCode::InvalidParameters, "weights of shape " + toString(weights.shape()) +
                                                  " do not fit " + std::to_string(count) +
                                                  " classes");
  }
  const Tensor targets = convertedTo(classes, ElementType::Int64);
  const std::int64_t inner = x.shape().elementCount(2, x.shape().rank());
  Tensor losses(x.type(), classes.shape());
  double sum = 0;
  double weightSum = 0;
  for (std::size_t i = 0; i < losses.elementCount(); ++i) {
    const std::int64_t target = targets.values<std::int64_t>()[i];
    losses.mutableValues<T>()[i] = 0;
    if (settings.ignored == target) continue;
    if (target < 0 || target >= count) {
      throw Error(ErrorCode::InvalidParameters,
                  "the class " + std::to_string(target) + " is none of " + std::to_string(count));
    }
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t source = (place / inner * count + target) * inner + place % inner;
    const T weight =
        weights.defined() ? weights.values<T>()[static_cast<std::size_t>(target)] : T{1};
    const T loss = -x.values<T>()[static_cast<std::size_t>(source)] * weight;
    losses.mutableValues<T>()[i] = loss;
    sum += static_cast<double>(loss);
    weightSum += static_cast<double>(weight);
  }
  if (settings.reduction == Reduction::None) return losses;
  return Tensor::scalar(
      static_cast<T>(settings.reduction == Reduction::Mean ? sum / weightSum : sum));
}

std::unique_ptr<Kernel> negativeLogLikelihood(const Node& node, const Graph& /*graph*/) {
  return makeKernel([settings = Settings(node)](std::span<Tensor> inputs,
                                                std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
      setOutput(
          outputs, 0,
          likelihoodLoss<T>(settings, x, requiredInput(inputs, 1), inputOrUndefined(inputs, 2)));
    });
  });
}

std::unique_ptr<Kernel> softmaxCrossEntropy(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = Settings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Tensor& classes = requiredInput(inputs, 1);
        requireFit(x.shape(), classes.shape());
        visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
          Tensor logarithms = logSoftmax<T>(x);
          setOutput(outputs, 0,
                    likelihoodLoss<T>(settings, logarithms, classes, inputOrUndefined(inputs, 2)));
          setOutput(outputs, 1, std::move(logarithms));
        });
      });
}

}  // namespace

void registerLosses(OperatorRegistry& registry) {
  registry.add("NegativeLogLikelihoodLoss", {12, 13, 22}, negativeLogLikelihood);
  registry.add("SoftmaxCrossEntropyLoss", {12, 13}, softmaxCrossEntropy);
}

}  // namespace quantscope
