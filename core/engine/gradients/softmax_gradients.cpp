// dx = y ⊙ (dy − Σ dy⊙y) for y = softmax(x); dx = dy − softmax(x)·Σ dy for its logarithm.

#include <cmath>

#include "engine/gradients/gradient_registry.h"

namespace quantscope {
namespace {

class SoftmaxGradient final : public Gradient {
 public:
  // Up to version 12 the axes from `axis` on count as one.
  SoftmaxGradient(const Node& node, bool logarithm)
      : m_flattens(node.version < 13),
        m_axis(node.integer("axis", m_flattens ? 1 : -1)),
        m_logarithm(logarithm) {}

  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }
  bool readsOutput(std::size_t /*index*/) const override { return true; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor dy = call.plainCotangent(0);
    const Tensor y = toLayout(call.outputs[0], Layout::Plain);
    results[0] = Tensor(dy.type(), dy.shape());
    visitRealType(dy.type(), [&]<class T>() {
      run<T>(dy.values<T>().data(), y.values<T>().data(), dy.shape(),
             results[0].mutableValues<T>().data());
    });
  }

 private:
  template <class T>
  void run(const T* dy, const T* y, const Shape& shape, T* dx) const {
    const std::size_t axis = shape.empty() ? 0
                             : m_axis == static_cast<std::int64_t>(shape.rank())
                                 ? shape.rank()
                                 : normalizeAxis(m_axis, shape.rank());
    const std::size_t end = m_flattens || axis == shape.rank() ? shape.rank() : axis + 1;
    const std::int64_t outer = shape.elementCount(0, axis);
    const std::int64_t extent = shape.elementCount(axis, end);
    const std::int64_t inner = shape.elementCount(end, shape.rank());
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) {
        const std::int64_t first = i * extent * inner + j;
        double sum = 0;
        for (std::int64_t k = 0; k < extent; ++k) {
          const std::int64_t at = first + k * inner;
          sum += static_cast<double>(dy[at]) * (m_logarithm ? 1 : static_cast<double>(y[at]));
        }
        for (std::int64_t k = 0; k < extent; ++k) {
          const std::int64_t at = first + k * inner;
          const auto g = static_cast<double>(dy[at]);
          const auto value = static_cast<double>(y[at]);
          dx[at] = static_cast<T>(m_logarithm ? g - std::exp(value) * sum : value * (g - sum));
        }
      }
    }
  }

  bool m_flattens;
  std::int64_t m_axis;
  bool m_logarithm;
};

std::unique_ptr<Gradient> makeSoftmaxGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<SoftmaxGradient>(node, false);
}

std::unique_ptr<Gradient> makeLogSoftmaxGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<SoftmaxGradient>(node, true);
}

}  // namespace

void registerSoftmaxGradients(GradientRegistry& registry) {
  registry.add("Softmax", makeSoftmaxGradient);
  registry.add("LogSoftmax", makeLogSoftmaxGradient);
}

}  // namespace quantscope
