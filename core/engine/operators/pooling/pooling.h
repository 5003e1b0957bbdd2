#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// Largest element under the window; optionally its row-major index in the whole input.
std::unique_ptr<Kernel> makeMaxPool(const Node& node, const Graph& graph);
/// Mean under the window, of the elements inside the input or, with count_include_pad, of the
/// padding too.
std::unique_ptr<Kernel> makeAveragePool(const Node& node, const Graph& graph);
/// (Σ |x|^p)^(1/p) under the window.
std::unique_ptr<Kernel> makeLpPool(const Node& node, const Graph& graph);

/// The same over all spatial axes: [N, C, D1, …] → [N, C, 1, …].
std::unique_ptr<Kernel> makeGlobalMaxPool(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeGlobalAveragePool(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeGlobalLpPool(const Node& node, const Graph& graph);

/// Puts the elements that MaxPool chose back where its indices say, zeros elsewhere.
std::unique_ptr<Kernel> makeMaxUnpool(const Node& node, const Graph& graph);

}  // namespace quantscope
