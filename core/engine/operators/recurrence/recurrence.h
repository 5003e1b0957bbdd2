#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// H' = f(X·Wᵀ + H·Rᵀ + b)
std::unique_ptr<Kernel> makeRnn(const Node& node, const Graph& graph);

/// Gated recurrent unit; gates in the order update (z), reset (r), hidden (h).
std::unique_ptr<Kernel> makeGru(const Node& node, const Graph& graph);

/// Long short-term memory with optional peepholes; gates in the order input, output, forget, cell.
std::unique_ptr<Kernel> makeLstm(const Node& node, const Graph& graph);

}  // namespace quantscope
