// Each output is a weighted sum of inputs, axis by axis; the adjoint gives its cotangent back with
// the same weights.

#include <algorithm>
#include <vector>

#include "engine/gradients/gradient_registry.h"
#include "engine/operators/resampling/resize_shape.h"

namespace quantscope {
namespace {

// A plain tensor read as [outer, extent, inner].
struct AroundAxis {
  AroundAxis(const Shape& shape, std::size_t axis)
      : outer(shape.elementCount(0, axis)), inner(shape.elementCount(axis + 1, shape.rank())) {}
  std::int64_t outer;
  std::int64_t inner;
};

template <class T>
Tensor giveBackAlong(const Tensor& dy, std::size_t axis, std::int64_t extent,
                     const AxisTaps& taps) {
  const std::int64_t outputs = dy.shape()[axis];
  Shape shape = dy.shape();
  shape[axis] = extent;
  Tensor dx = Tensor::zeros(dy.type(), shape);
  const AroundAxis around(shape, axis);
  const T* from = dy.values<T>().data();
  T* to = dx.mutableValues<T>().data();
  for (std::int64_t i = 0; i < around.outer; ++i, to += extent * around.inner) {
    for (std::int64_t output = 0; output < outputs; ++output, from += around.inner) {
      std::size_t tap = static_cast<std::size_t>(output) * taps.perOutput;
      for (std::size_t k = 0; k < taps.perOutput; ++k, ++tap) {
        const T weight = static_cast<T>(taps.weights[tap]);
        T* const row = to + taps.sources[tap] * around.inner;
        for (std::int64_t j = 0; j < around.inner; ++j) row[j] += from[j] * weight;
      }
    }
  }
  return dx;
}

// Sets dy to 0 outside the input, where the output is a constant.
template <class T>
void silence(Tensor& dy, std::size_t axis, const std::vector<char>& outside) {
  const AroundAxis around(dy.shape(), axis);
  T* to = dy.mutableValues<T>().data();
  for (std::int64_t i = 0; i < around.outer; ++i) {
    for (const char isOutside : outside) {
      if (isOutside != 0) std::fill_n(to, around.inner, T{0});
      to += around.inner;
    }
  }
}

class ResizeGradient final : public Gradient {
 public:
  explicit ResizeGradient(const Node& node) : m_interpolation(node), m_shape(node) {}

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    std::vector<Tensor> inputs(call.inputs.begin(), call.inputs.end());
    const std::vector<ResizedAxis> axes = m_shape.axesOf(inputs);
    results[0] = visitRealType(
        call.type(), [&]<class T>() { return giveBack<T>(call.plainCotangent(0), axes); });
  }

 private:
  template <class T>
  Tensor giveBack(Tensor g, const std::vector<ResizedAxis>& axes) const {
    const bool crops = m_interpolation.coordinates == Interpolation::Coordinates::TfCropAndResize;
    std::vector<AxisTaps> taps(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!untouched(axes[i], crops)) taps[i] = tapsOf(m_interpolation, axes[i]);
    }
    if (crops) {
      g = toLayout(Tensor::of<T>(g.shape(), g.values<T>()), Layout::Plain);
      for (std::size_t i = 0; i < axes.size(); ++i) silence<T>(g, i, taps[i].outside);
    }
    for (std::size_t i = axes.size(); i-- > 0;) {
      if (!untouched(axes[i], crops)) g = giveBackAlong<T>(g, i, axes[i].input, taps[i]);
    }
    return g;
  }

  static bool untouched(const ResizedAxis& axis, bool crops) {
    return axis.output == axis.input && axis.scale == 1 && !crops;
  }

  Interpolation m_interpolation;
  ResizeShape m_shape;
};

std::unique_ptr<Gradient> makeResizeGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<ResizeGradient>(node);
}

}  // namespace

void registerResizeGradients(GradientRegistry& registry) {
  registry.add("Resize", makeResizeGradient);
  registry.add("Upsample", makeResizeGradient);
}

}  // namespace quantscope
