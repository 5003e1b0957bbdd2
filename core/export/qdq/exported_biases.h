#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"
#include "export/export_loss.h"
#include "precision/parameters/bias_quantization.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// A float bias on the integer grid of its layer, s_input · s_weight.
struct IntegerBias {
  std::size_t layer = 0;  ///< index of QuantizedModel::layers
  QuantizedBias bias;
  QuantParams weight;      ///< of the layer's weight: scales raised where the bias needs it
  std::size_t raised = 0;  ///< scales, as by fitScalesToBias()
  Tensor rounded;          ///< the weight on raised scales, see takeRaisedWeights()
};

/// The biases that are added in float and can be int32, by layer. ONNX Runtime fuses only layers
/// with an integer bias, and its optimizations clamp others to int32.
std::vector<IntegerBias> findIntegerBiases(const Engine& engine, const QuantizedModel& model);

/// Takes the weights that are rounded to raised grids from `fitted`: the same model under the bias
/// rule "int32-fit".
void takeRaisedWeights(const QuantizedModel& fitted, std::span<IntegerBias> biases);

/// `model` with these of its biases in int32.
QuantizedModel withIntegerBiases(const QuantizedModel& model, std::span<const IntegerBias> biases);

/// What that changes. `settled`: it is known that the biases stay so.
ExportLosses lossesOfBiases(const Graph& graph, const QuantizedModel& model,
                            std::span<const IntegerBias> biases, bool settled);

}  // namespace quantscope
