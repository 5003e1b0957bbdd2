#pragma once

#include "repair/fixed_grids.h"
#include "repair/linear_layers.h"
#include "repair/overlay.h"

namespace quantscope {

/// The batch normalizations of the layers folded into their weights, as quantization folds them; a
/// normalization stays with γ = 1, β = 0, µ = 0 and a variance that makes σ² + ε exactly 1, so that
/// it passes its input on, bit for bit, and names stay; one that is so already is left alone.
/// Layers that have a place for a bias and none in it get one of zeros. Folded weights keep a grid
/// that is fixed. Quantized, the model computes what it did.
Overlay foldNormalizations(const Engine& engine, const QuantizedModel& model,
                           const LinearLayers& layers, const FixedGrids& fixed);

/// The variance v for which v + ε is 1 in float.
float neutralVariance(float epsilon);

}  // namespace quantscope
