#pragma once

#include <set>
#include <vector>

#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The size of weights.
struct WeightCost {
  double elements = 0;
  double bits = 0;   ///< of all their codes, without scales and zero points
  double bytes = 0;  ///< of codes, scales and zero points

  double floatBytes() const { return 4 * elements; }
  double meanBits() const { return elements > 0 ? bits / elements : 32; }
};

/// The size of one layer's weights: codes at their width, a float32 scale per grid and for
/// asymmetric weights a zero point of their width. Float weights take 32 bits each and no scale, or
/// what another tool has stored them in.
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

/// The constants that a layer's weights are, or are computed from, as they are stored: what they
/// take while the layer is in float.
WeightCost storedCost(const Engine& engine, const LayerQuantization& layer);

/// The layers whose weights come from the same constants, directly or by way of other layers, as
/// places in QuantizedModel::layers. Layers whose weights come from no constant are in none.
std::vector<std::vector<std::size_t>> layersOfCommonWeights(const Engine& engine,
                                                            const QuantizedModel& model);

}  // namespace quantscope
