#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// Y = A · B with the last two axes as matrices and the others broadcast, as NumPy's matmul; an
/// optional third input of shape [N] is added to every row.
std::unique_ptr<Kernel> makeMatMul(const Node& node, const Graph& graph);

/// Y = alpha · A' · B' + beta · C, A' [M, K], B' [K, N], C broadcast to [M, N].
std::unique_ptr<Kernel> makeGemm(const Node& node, const Graph& graph);

/// Einstein summation over any number of operands.
std::unique_ptr<Kernel> makeEinsum(const Node& node, const Graph& graph);

/// The determinants of matrices [M, M] on the last two axes.
std::unique_ptr<Kernel> makeDeterminant(const Node& node, const Graph& graph);

}  // namespace quantscope
