#pragma once

#include <set>

#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The size of weights.
struct WeightCost {
  double elements = 0;
  double bits = 0;   ///< of all their codes
  double bytes = 0;  ///< of codes, scales and zero points

  double floatBytes() const { return 4 * elements; }
  double meanBits() const { return elements > 0 ? bits / elements : 32; }
};

/// The size of one layer's weights: codes at their width, a float32 scale per grid and for
/// asymmetric weights a zero point of their width. Float weights take 32 bits each and no scale.
WeightCost weightCost(const Engine& engine, const LayerQuantization& layer);

/// The constants that the weights are, or are computed from: floats, and the codes, scales and
/// zero points of weights that another tool has quantized.
std::set<ValueId> weightSources(const Engine& engine, const QuantizedModel& model);

/// A parameter as it is stored where nothing of ours quantizes it: floats as float32.
double storedBytes(const Tensor& constant);

/// The size of all weights as stored. A weight of several layers is stored once for each form that
/// they read it in: layers in int8 and layers in float need both. Elements are those of
/// weightSources() without scales and zero points, each counted once.
WeightCost allWeightsCost(const Engine& engine, const QuantizedModel& model);

}  // namespace quantscope
