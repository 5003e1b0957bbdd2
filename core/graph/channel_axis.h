#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// The axis of a value that its channels lie on. Convolutions (and what follows them) have
/// theirs on axis 1; MatMul, Gemm and layer normalization on the last one.
struct ChannelAxis {
  static constexpr int kNone = -1000;
  int axis = kNone;  ///< negative = counted from the end

  bool exists() const { return axis != kNone; }
  /// The axis of a tensor of `rank` axes; −1 where there is none.
  int of(std::size_t rank) const;
};

/// The channel axis of every value: set by the operators above, carried through elementwise
/// operators, data movers that keep the axes apart, and Transpose. Where none comes from above, the
/// one that a reader with constant weights looks for; none elsewhere.
std::vector<ChannelAxis> findChannelAxes(const Graph& graph);

}  // namespace quantscope
