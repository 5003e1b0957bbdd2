#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// By node: true if it is a part of attention written as primitive operators: a product of two
/// computed matrices, the operators that scale and mask it, a Softmax, and the product of that with
/// a third computed matrix.
std::vector<bool> findAttention(const Graph& graph);

}  // namespace quantscope
