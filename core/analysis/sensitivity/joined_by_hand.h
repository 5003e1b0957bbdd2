#pragma once

#include <functional>
#include <vector>

#include "base/ids.h"
#include "precision/config/point_name.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What lists of joined points put on one grid with a layer, directly or by way of other layers:
/// such layers can only be of one type together.
struct JoinedByHand {
  std::vector<NodeId> others;                 ///< leads of the other layers, each once
  std::vector<std::vector<PointName>> lists;  ///< those that join them
};

/// `lead`: of the layer. `counts`: false for a layer whose points join nothing, as they are not
/// quantized.
JoinedByHand joinedByHand(const Graph& graph, const QuantizedModel& model,
                          const std::vector<std::vector<PointName>>& lists, NodeId lead,
                          const std::function<bool(const LayerQuantization&)>& counts);

}  // namespace quantscope
