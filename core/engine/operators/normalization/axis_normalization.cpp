#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// The group index of every element of a row-major tensor. A group has the elements that agree in
// all axes except the reduced ones.
std::vector<std::size_t> groupIndices(const Shape& shape, const std::vector<bool>& reduced,
                                      std::size_t& groups) {
  std::vector<std::size_t> strides(shape.rank(), 0);
  groups = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    if (reduced[axis]) continue;
    strides[axis] = groups;
    groups *= static_cast<std::size_t>(shape[axis]);
  }
  const Shape places = rowMajorStrides(shape);
  std::vector<std::size_t> indices(static_cast<std::size_t>(shape.elementCount()));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      indices[i] += i / static_cast<std::size_t>(places[axis]) %
                    static_cast<std::size_t>(shape[axis]) * strides[axis];
    }
  }
  return indices;
}

template <class T>
Tensor meanVarianceNormalize(const Tensor& x, const std::vector<std::int64_t>& axes) {
  // The constant of the operator's definition.
  constexpr double kEpsilon = 1e-9;
  std::vector<bool> reduced(x.shape().rank(), false);
  for (const std::int64_t axis : axes) reduced[normalizeAxis(axis, reduced.size())] = true;
  Tensor y(x.type(), x.shape());
  if (y.elementCount() == 0) return y;
  std::size_t groups = 0;
  const std::vector<std::size_t> group = groupIndices(x.shape(), reduced, groups);
  const std::span<const T> source = x.values<T>();
  const double count = static_cast<double>(source.size()) / static_cast<double>(groups);
  std::vector<double> means(groups);
  std::vector<double> variances(groups);
  for (std::size_t i = 0; i < source.size(); ++i) {
    means[group[i]] += static_cast<double>(source[i]) / count;
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const double deviation = static_cast<double>(source[i]) - means[group[i]];
    variances[group[i]] += deviation * deviation / count;
  }
  const std::span<T> target = y.mutableValues<T>();
  for (std::size_t i = 0; i < source.size(); ++i) {
    target[i] = static_cast<T>((static_cast<double>(source[i]) - means[group[i]]) /
                               (std::sqrt(variances[group[i]]) + kEpsilon));
  }
  return y;
}

template <class T>
Tensor lpNormalize(const Tensor& x, std::int64_t axisAttribute, bool squares) {
  const Shape& shape = x.shape();
  const std::size_t axis = normalizeAxis(axisAttribute, shape.rank());
  const std::int64_t outer = shape.elementCount(0, axis);
  const std::int64_t inner = shape.elementCount(axis + 1, shape.rank());
  const std::int64_t extent = shape[axis];
  Tensor y(x.type(), shape);
  for (std::int64_t i = 0; i < outer * inner; ++i) {
    const std::int64_t first = i / inner * extent * inner + i % inner;
    const T* from = x.values<T>().data() + first;
    T* to = y.mutableValues<T>().data() + first;
    double sum = 0;
    for (std::int64_t k = 0; k < extent; ++k) {
      const auto value = static_cast<double>(from[k * inner]);
      sum += squares ? value * value : std::abs(value);
    }
    const double norm = squares ? std::sqrt(sum) : sum;
    const T divisor = norm == 0 ? T{1} : static_cast<T>(norm);
    for (std::int64_t k = 0; k < extent; ++k) to[k * inner] = from[k * inner] / divisor;
  }
  return y;
}

}  // namespace

std::unique_ptr<Kernel> makeMeanVarianceNormalization(const Node& node, const Graph& /*graph*/) {
  const std::vector<std::int64_t> axes = node.integers("axes", {0, 2, 3});
  return makeKernel([axes](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    setOutput(outputs, 0,
              x.type() == ElementType::Float64 ? meanVarianceNormalize<double>(x, axes)
                                               : meanVarianceNormalize<float>(x, axes));
  });
}

std::unique_ptr<Kernel> makeLpNormalization(const Node& node, const Graph& /*graph*/) {
  const std::int64_t axis = node.integer("axis", -1);
  const std::int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) {
    throw Error(ErrorCode::InvalidModel,
                "LpNormalization has p = " + std::to_string(p) + " where only 1 and 2 are defined");
  }
  return makeKernel([axis, p](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    setOutput(outputs, 0,
              x.type() == ElementType::Float64 ? lpNormalize<double>(x, axis, p == 2)
                                               : lpNormalize<float>(x, axis, p == 2));
  });
}

}  // namespace quantscope
