// Reductions along axes: dy, repeated along them, times ∂y/∂x.

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// The shape of x with 1 along the reduced axes.
class ReducedAxes {
 public:
  explicit ReducedAxes(const Node& node)
      : m_axes(node, "axes", 1), m_emptyKeepsAll(node.integer("noop_with_empty_axes", 0) != 0) {}

  Shape keptShape(const GradientCall& call) const {
    std::vector<Tensor> inputs(call.inputs.begin(), call.inputs.end());
    std::vector<std::int64_t> axes = m_axes.read(inputs).value_or(std::vector<std::int64_t>{});
    Shape shape = call.inputShapes[0];
    if (axes.empty() && !m_emptyKeepsAll) {
      axes.resize(shape.rank());
      std::iota(axes.begin(), axes.end(), 0);
    }
    for (const std::int64_t axis : axes) shape[normalizeAxis(axis, shape.rank())] = 1;
    return shape;
  }

 private:
  IntegersOperand m_axes;
  bool m_emptyKeepsAll;
};

// `Derivative` is a function of x, y and the number of elements behind y.
template <class Derivative>
class ReductionGradient final : public Gradient {
 public:
  explicit ReductionGradient(const Node& node) : m_axes(node) {}
  bool readsInput(std::size_t index, Wanted /*wanted*/) const override {
    return index > 0 || Derivative::kReadsValues;
  }
  bool readsOutput(std::size_t /*index*/) const override { return Derivative::kReadsValues; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Shape kept = m_axes.keptShape(call);
    const Tensor dy = call.plainCotangent(0).reshaped(kept);
    const Shape& x = call.inputShapes[0];
    const std::int64_t outputs = std::max<std::int64_t>(1, kept.elementCount());
    const double count = static_cast<double>(x.elementCount() / outputs);
    results[0] = visitRealType(dy.type(), [&]<class T>() {
      const T n = static_cast<T>(count);
      if constexpr (Derivative::kReadsValues) {
        const Tensor y = toLayout(call.outputs[0], Layout::Plain).reshaped(kept);
        return mapBroadcast<T>(dy, call.inputs[0], y, [n](T g, T value, T result) {
          return g * Derivative::at(value, result, n);
        });
      } else {
        return broadcastTo(
            mapPairs<T>(dy, dy, [n](T g, T) { return g * Derivative::at(T{0}, T{0}, n); }), x);
      }
    });
  }

 private:
  ReducedAxes m_axes;
};

struct SumShare {
  static constexpr bool kReadsValues = false;
  template <class T>
  static T at(T, T, T) {
    return T{1};
  }
};

struct MeanShare {
  static constexpr bool kReadsValues = false;
  template <class T>
  static T at(T, T, T count) {
    return 1 / count;
  }
};

struct AbsoluteShare {
  static constexpr bool kReadsValues = true;
  template <class T>
  static T at(T x, T, T) {
    return x > 0 ? T{1} : (x < 0 ? T{-1} : T{0});
  }
};

// 0 at the origin, where there is no direction.
struct EuclideanShare {
  static constexpr bool kReadsValues = true;
  template <class T>
  static T at(T x, T y, T) {
    return y > 0 ? x / y : T{0};
  }
};

struct SquareShare {
  static constexpr bool kReadsValues = true;
  template <class T>
  static T at(T x, T, T) {
    return 2 * x;
  }
};

struct LogSumShare {
  static constexpr bool kReadsValues = true;
  template <class T>
  static T at(T, T y, T) {
    return std::exp(-y);
  }
};

struct LogSumExpShare {
  static constexpr bool kReadsValues = true;
  template <class T>
  static T at(T x, T y, T) {
    return std::exp(x - y);
  }
};

// Max and Min: all of it to the first element that is the result.
class FirstExtremeGradient final : public Gradient {
 public:
  explicit FirstExtremeGradient(const Node& node) : m_axes(node) {}
  bool readsOutput(std::size_t /*index*/) const override { return true; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Shape kept = m_axes.keptShape(call);
    const Tensor dy = call.plainCotangent(0).reshaped(kept);
    const Tensor y = toLayout(call.outputs[0], Layout::Plain).reshaped(kept);
    const Tensor x = call.plainInput(0);
    results[0] = Tensor::zeros(dy.type(), x.shape());
    visitRealType(dy.type(),
                  [&]<class T>() { give<T>(x, y, dy, kept, results[0].mutableValues<T>()); });
  }

 private:
  template <class T>
  static void give(const Tensor& x, const Tensor& y, const Tensor& dy, const Shape& kept,
                   std::span<T> dx) {
    const std::span<const T> values = x.values<T>();
    const std::span<const T> largest = y.values<T>();
    const std::span<const T> g = dy.values<T>();
    const Shape& shape = x.shape();
    const Shape strides = rowMajorStrides(kept);
    std::vector<char> given(largest.size());
    Shape index = Shape::filled(shape.rank(), 0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (given[at] == 0 && values[i] == largest[at]) {
        given[at] = 1;
        dx[i] = g[at];
      }
      for (std::size_t axis = shape.rank(); axis-- > 0;) {
        const std::int64_t stride = kept[axis] == 1 && shape[axis] != 1 ? 0 : strides[axis];
        if (++index[axis] < shape[axis]) {
          at += static_cast<std::size_t>(stride);
          break;
        }
        at -= static_cast<std::size_t>((index[axis] - 1) * stride);
        index[axis] = 0;
      }
    }
  }

  ReducedAxes m_axes;
};

template <class Derivative>
std::unique_ptr<Gradient> makeReduction(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<ReductionGradient<Derivative>>(node);
}

std::unique_ptr<Gradient> makeFirstExtreme(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<FirstExtremeGradient>(node);
}

}  // namespace

void registerReductionGradients(GradientRegistry& registry) {
  registry.add("ReduceSum", makeReduction<SumShare>);
  registry.add("ReduceMean", makeReduction<MeanShare>);
  registry.add("ReduceL1", makeReduction<AbsoluteShare>);
  registry.add("ReduceL2", makeReduction<EuclideanShare>);
  registry.add("ReduceSumSquare", makeReduction<SquareShare>);
  registry.add("ReduceLogSum", makeReduction<LogSumShare>);
  registry.add("ReduceLogSumExp", makeReduction<LogSumExpShare>);
  registry.add("ReduceMax", makeFirstExtreme);
  registry.add("ReduceMin", makeFirstExtreme);
}

}  // namespace quantscope
