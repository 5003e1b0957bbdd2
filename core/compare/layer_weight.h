#pragma once

#include <optional>
#include <vector>

#include "compare/compared_model.h"
#include "compare/cone_run.h"

namespace quantscope {

/// The constant weight of a product, as numbers, and how they are stored.
struct LayerWeight {
  NodeId node;
  std::size_t slot = 0;
  Tensor numbers;  ///< float32, Plain; codes less their zero point where `scaled` is false
  bool scaled = true;
  int bits = 0;  ///< of its codes; 0 = it is stored as floats
  bool symmetric = true;
  CodeGrids grids;        ///< of its codes where they are scaled
  bool isSigned = false;  ///< its codes

  bool perChannel() const { return grids.scale.defined() && grids.scale.elementCount() > 1; }
};

/// True for a product with a constant weight.
bool hasWeight(const Engine& engine, NodeId node);

/// The weights of the products among the nodes, in their order.
std::vector<LayerWeight> weightsOf(const Engine& engine, const std::vector<NodeId>& nodes);

/// A weight of one model beside that of the other.
struct WeightPair {
  LayerWeight first;
  LayerWeight second;   ///< transposed where that gives it the shape of the first
  int channelAxis = 0;  ///< of the output channels
  /// By output channel: the factor that takes the first nearest to the second, Σxy / Σx²; 1 where
  /// the two have little in common.
  std::vector<double> gains;
  double cosine = 0;  ///< of the second and the first times its gains
};

/// Pairs weights of equal shape in their order; empty where the numbers of weights differ.
std::vector<WeightPair> pairWeights(const ComparedModel& first, const ComparedModel& second,
                                    const std::vector<NodeId>& firstNodes,
                                    const std::vector<NodeId>& secondNodes);

/// The first model's weights as the types of the second would round them at best: on min/max grids
/// as fine as the second's, to the nearest. What is stored as floats is left out.
PlacedInputs wellRounded(const std::vector<WeightPair>& weights);

/// How the codes of a weight were rounded.
struct WeightRounding {
  double offset = 0;   ///< mean of (second − first · gain) / scale: −0.5 = down, 0.5 = up
  double inwards = 0;  ///< the same along the sign of the first: −0.5 = towards 0
};
/// None where codes have no known scale.
std::optional<WeightRounding> roundingOf(const WeightPair& pair);

/// The cosine of the elements of two tensors of one number of elements; 0 where one is all zeros.
double cosineOf(const Tensor& a, const Tensor& b);

}  // namespace quantscope
