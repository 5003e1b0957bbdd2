#include <cmath>
#include <numbers>
#include <string>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_types.h"
#include "engine/operators/operands.h"
#include "engine/operators/spectra/spectra.h"

namespace quantscope {
namespace {

// y[n] = a₀ − a₁·cos(2πn/N) + a₂·cos(4πn/N), N = size, or size − 1 where it is symmetric.
struct Cosines {
  double a0;
  double a1;
  double a2;
};

Tensor window(std::int64_t size, bool periodic, const Cosines& cosines) {
  if (size < 0) {
    throw Error(ErrorCode::InvalidParameters,
                "a window cannot have " + std::to_string(size) + " elements");
  }
  Tensor y(ElementType::Float64, {size});
  const std::span<double> values = y.mutableValues<double>();
  const std::int64_t period = periodic || size < 2 ? size : size - 1;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(period);
    values[n] = cosines.a0 - cosines.a1 * std::cos(angle) + cosines.a2 * std::cos(2 * angle);
  }
  return y;
}

std::unique_ptr<Kernel> windowKernel(const Node& node, const Cosines& cosines) {
  const ElementType type = elementTypeOfNumber(node.integer("output_datatype", 1));
  const bool periodic = node.integer("periodic", 1) != 0;
  return makeKernel([=](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const std::int64_t size = onlyInteger(requiredInput(inputs, 0));
    setOutput(outputs, 0, convertedTo(window(size, periodic, cosines), type));
  });
}

std::unique_ptr<Kernel> hann(const Node& node, const Graph& /*graph*/) {
  return windowKernel(node, {0.5, 0.5, 0});
}

std::unique_ptr<Kernel> hamming(const Node& node, const Graph& /*graph*/) {
  return windowKernel(node, {25.0 / 46, 21.0 / 46, 0});
}

std::unique_ptr<Kernel> blackman(const Node& node, const Graph& /*graph*/) {
  return windowKernel(node, {0.42, 0.5, 0.08});
}

}  // namespace

void registerWindowFunctions(OperatorRegistry& registry) {
  registry.add("HannWindow", {17}, hann);
  registry.add("HammingWindow", {17}, hamming);
  registry.add("BlackmanWindow", {17}, blackman);
}

}  // namespace quantscope
