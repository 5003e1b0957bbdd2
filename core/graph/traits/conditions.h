#pragma once

#include "graph/graph.h"

namespace quantscope {

/// A condition of OperatorTraits that every node fulfils.
inline bool always(const Graph&, const Node&) {
  return true;
}

}  // namespace quantscope
