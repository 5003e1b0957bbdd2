#pragma once

#include <vector>

#include "engine/engine.h"
#include "export/export_loss.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The layers whose bias is added in float and can lie on the integer grid of its layer, s_input ·
/// s_weight: indices of QuantizedModel::layers. ONNX Runtime fuses only layers with an integer
/// bias, and its optimizations clamp others to int32.
std::vector<std::size_t> findFittingBiases(const Engine& engine, const QuantizedModel& model);

/// `model` with the biases of these layers, of findFittingBiases(), rounded to int32. Scales of
/// weights are raised where a bias needs it, as by fitScalesToBias().
QuantizedModel withIntegerBiases(const Engine& engine, const QuantizedModel& model,
                                 const std::vector<std::size_t>& layers);

/// What that changes, for each of the layers. `settled`: it is known that the biases stay so.
ExportLosses lossesOfBiases(const Engine& engine, const QuantizedModel& model,
                            const std::vector<std::size_t>& layers, bool settled);

}  // namespace quantscope
