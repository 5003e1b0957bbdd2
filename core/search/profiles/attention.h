#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// By node: true where it is a part of attention that is written as primitive operators: a product
/// of two computed matrices, what scales and masks it, a Softmax, and the product of that with a
/// third computed matrix.
std::vector<bool> findAttention(const Graph& graph);

}  // namespace quantscope
