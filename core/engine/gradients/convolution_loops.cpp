#include "engine/gradients/convolution_loops.h"

#include "engine/operators/window_walker.h"

namespace quantscope {
namespace {

// Calls body(index in u, index in the weights, index in v) for every product of v = u * weights.
template <class Body>
void forEachProduct(const ConvolutionShapes& shapes, const Shape& u, const Body& body) {
  const std::int64_t inputs = u.elementCount(2, u.rank());
  const std::int64_t positions = shapes.window.positions();
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t filters = shapes.groups * shapes.filtersPerGroup;
  WindowWalker walker(shapes.window);
  for (std::int64_t position = 0; position < positions; ++position) {
    const std::span<const WindowWalker::Tap> seen = walker.at(position);
    for (std::int64_t n = 0; n < u[0]; ++n) {
      for (std::int64_t f = 0; f < filters; ++f) {
        const std::int64_t first = f / shapes.filtersPerGroup * shapes.channelsPerGroup;
        for (std::int64_t c = 0; c < shapes.channelsPerGroup; ++c) {
          for (const WindowWalker::Tap& tap : seen) {
            body((n * u[1] + first + c) * inputs + tap.source,
                 (f * shapes.channelsPerGroup + c) * taps + tap.tap,
                 (n * filters + f) * positions + position);
          }
        }
      }
    }
  }
}

}  // namespace

Tensor convolutionByLoops(const ConvolutionShapes& shapes, const Shape& u, const Tensor& uValues,
                          const Tensor& weights) {
  Tensor v = Tensor::zeros(ElementType::Float64, shapes.output);
  const double* const x = uValues.values<double>().data();
  const double* const w = weights.values<double>().data();
  double* const to = v.mutableValues<double>().data();
  forEachProduct(shapes, u,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) { to[k] += x[i] * w[j]; });
  return v;
}

Tensor convolutionDataByLoops(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
                              const Tensor& weights) {
  Tensor result = Tensor::zeros(ElementType::Float64, u);
  const double* const g = v.values<double>().data();
  const double* const w = weights.values<double>().data();
  double* const to = result.mutableValues<double>().data();
  forEachProduct(shapes, u,
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) { to[i] += g[k] * w[j]; });
  return result;
}

Tensor convolutionWeightsByLoops(const ConvolutionShapes& shapes, const Tensor& u,
                                 const Tensor& v) {
  Tensor result = Tensor::zeros(ElementType::Float64, weightsShape(shapes));
  const double* const g = v.values<double>().data();
  const double* const x = u.values<double>().data();
  double* const to = result.mutableValues<double>().data();
  forEachProduct(shapes, u.shape(),
                 [=](std::int64_t i, std::int64_t j, std::int64_t k) { to[j] += g[k] * x[i]; });
  return result;
}

}  // namespace quantscope
