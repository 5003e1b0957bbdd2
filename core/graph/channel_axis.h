#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// The channel axis of a value: axis 1 for convolutions and the operators that follow them, the
/// last axis for MatMul, Gemm and layer normalization.
struct ChannelAxis {
  static constexpr int kNone = -1000;
  int axis = kNone;  ///< negative = counted from the end

  bool exists() const { return axis != kNone; }
  /// The axis of a tensor of `rank` axes; −1 where there is none.
  int of(std::size_t rank) const;
};

/// The channel axis of every value. Producers set it; elementwise operators, Transpose and data
/// movers that keep the axes separate carry it on. A value without an axis from its producer takes
/// the axis that a consumer with constant weights expects, else none.
std::vector<ChannelAxis> findChannelAxes(const Graph& graph);

}  // namespace quantscope
