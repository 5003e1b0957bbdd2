#pragma once

#include <map>
#include <utility>

#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The parameters of a constant that a quantized model puts in place of a node's input.
struct PlacedParams {
  const QuantParams* grid = nullptr;  ///< of a weight, or of a constant operand
  const BiasParams* bias = nullptr;
  bool integerLayer = false;  ///< of a bias: input and weights are static integers
};

/// By node and input. An entry without parameters is a float constant that folding has changed. The
/// result points into `model`.
std::map<std::pair<NodeId, std::size_t>, PlacedParams> findPlacedParams(
    const Engine& engine, const QuantizedModel& model);

}  // namespace quantscope
