#pragma once

#include <utility>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope::test {

/// The inputs of a graph: values and their tensors.
using Feeds = std::vector<std::pair<ValueId, Tensor>>;

}  // namespace quantscope::test
