#pragma once

#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What weights take.
struct WeightCost {
  double elements = 0;
  double bits = 0;   ///< of all their codes
  double bytes = 0;  ///< of codes, scales and zero points

  double floatBytes() const { return 4 * elements; }
  double meanBits() const { return elements > 0 ? bits / elements : 32; }
};

/// Of one layer. Codes at their width; a float32 scale per grid, and where weights are asymmetric a
/// zero point of their width. Weights in float take 32 bits an element and no scale.
WeightCost weightCost(const Engine& engine, const LayerQuantization& layer);

/// Of all weights as they are stored. One that several layers read is there once for each form that
/// they read it in: layers in int8 and layers in float need both. Its elements count once.
WeightCost allWeightsCost(const Engine& engine, const QuantizedModel& model);

}  // namespace quantscope
