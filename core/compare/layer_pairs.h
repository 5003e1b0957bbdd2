#pragma once

#include <string>
#include <vector>

#include "compare/cone_run.h"
#include "compare/layer_weight.h"
#include "compare/matching/axis_order.h"
#include "compare/matching/match_values.h"
#include "compare/matching/matched_orders.h"

namespace quantscope {

/// A layer of the first model and its twin in the second: what makes a pair of matching values of
/// the pairs before them.
struct LayerPair {
  ValueMatch match;
  /// What readers of the values read in either model: behind activations that the other model lacks
  /// or has fused, and behind the rounding of the output.
  ValueId first;
  ValueId second;
  AxisOrder axes;  ///< of `first` and `second`
  /// The layer's node, or its first output where it has no name: a product before activations that
  /// are computed without rounding between them, else the last node.
  std::string firstName;
  std::string secondName;
  InputCone firstCone;
  InputCone secondCone;
  /// By input of the second cone: the value of the first model whose numbers it stands for.
  std::vector<ValueId> sources;
  std::vector<AxisOrder> sourceAxes;  ///< of the source and the input
  std::vector<WeightPair> weights;
  /// Codes of the second model's value; null where its output is not rounded.
  const CodeGrids* outputGrids = nullptr;
  int outputBits = 0;
  bool outputSigned = false;
  bool dynamicOutput = false;  ///< rounded on grids that follow each sample
  /// The narrowest float type of what either layer reads or makes.
  ElementType narrowest = ElementType::Float32;
  /// False where a node cannot be run by itself, or an input has no match.
  bool runnable = false;
};

/// The pairs of layers behind matches, in their order; values that are inputs have none. The models
/// must outlive the pairs.
std::vector<LayerPair> pairLayers(const ComparedModel& first, const ComparedModel& second,
                                  const std::vector<ValuePrint>& firstPrints,
                                  const std::vector<ValuePrint>& secondPrints,
                                  const std::vector<ValueMatch>& matches,
                                  const MatchedOrders& orders);

/// The node that makes a value, or its first output where the file gives it no name; an input's own
/// name.
std::string makerName(const Graph& graph, ValueId value);

}  // namespace quantscope
