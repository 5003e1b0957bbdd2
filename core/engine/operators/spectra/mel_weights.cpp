#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_types.h"
#include "engine/operators/operands.h"
#include "engine/operators/spectra/spectra.h"

namespace quantscope {
namespace {

// The mel scale as the operator defines it.
double toMel(double hertz) {
  return 2595 * std::log10(1 + hertz / 700);
}
double toHertz(double mel) {
  return 700 * (std::pow(10, mel / 2595) - 1);
}

// The bins of the spectrum at which one triangle ends and the next one has its peak.
std::vector<std::int64_t> edges(std::int64_t bins, std::int64_t length, std::int64_t rate,
                                double low, double high) {
  const double step = (toMel(high) - toMel(low)) / static_cast<double>(bins + 2);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = toHertz(toMel(low) + static_cast<double>(i) * step);
    const double place =
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    if (!(place >= 0 && place <= static_cast<double>(length / 2))) {
      throw Error(ErrorCode::InvalidParameters,
                  "the edges of MelWeightMatrix lie outside the spectrum");
    }
    result.push_back(static_cast<std::int64_t>(place));
  }
  return result;
}

// A triangle per mel bin: up from its left edge to 1 at the middle, down to its right edge.
Tensor melWeights(std::int64_t bins, std::int64_t length, std::int64_t rate, double low,
                  double high) {
  if (bins < 0 || length < 1 || rate < 1) {
    throw Error(ErrorCode::InvalidParameters,
                "MelWeightMatrix needs bins, a length and a rate above 0");
  }
  Tensor result = Tensor::zeros(ElementType::Float64, {length / 2 + 1, bins});
  const std::vector<std::int64_t> places = edges(bins, length, rate, low, high);
  for (std::int64_t i = 0; i < bins; ++i) {
    const auto place = [&](std::int64_t j) -> double& {
      return result.mutableValues<double>()[static_cast<std::size_t>(j * bins + i)];
    };
    const std::int64_t left = places[static_cast<std::size_t>(i)];
    const std::int64_t middle = places[static_cast<std::size_t>(i) + 1];
    const std::int64_t right = places[static_cast<std::size_t>(i) + 2];
    place(middle) = 1;
    for (std::int64_t j = left; j < middle; ++j) {
      place(j) = static_cast<double>(j - left) / static_cast<double>(middle - left);
    }
    for (std::int64_t j = middle; j < right; ++j) {
      place(j) = static_cast<double>(right - j) / static_cast<double>(right - middle);
    }
  }
  return result;
}

double onlyNumber(const Tensor& tensor) {
  if (tensor.elementCount() == 1) {
    return convertedTo(tensor, ElementType::Float64).values<double>()[0];
  }
  throw Error(ErrorCode::InvalidParameters,
              "a frequency of shape " + toString(tensor.shape()) + " is not a single number");
}

std::unique_ptr<Kernel> melWeightMatrix(const Node& node, const Graph& /*graph*/) {
  const ElementType type = elementTypeOfNumber(node.integer("output_datatype", 1));
  return makeKernel([type](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor weights =
        melWeights(onlyInteger(requiredInput(inputs, 0)), onlyInteger(requiredInput(inputs, 1)),
                   onlyInteger(requiredInput(inputs, 2)), onlyNumber(requiredInput(inputs, 3)),
                   onlyNumber(requiredInput(inputs, 4)));
    setOutput(outputs, 0, convertedTo(weights, type));
  });
}

}  // namespace

void registerMelWeights(OperatorRegistry& registry) {
  registry.add("MelWeightMatrix", {17}, melWeightMatrix);
}

}  // namespace quantscope
