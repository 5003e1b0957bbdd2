#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// y = saturate(round(x / scale) + zero point), ties to even; NaN becomes the lowest code. Scale
/// and zero point per tensor, per index of an axis, or per block along it.
std::unique_ptr<Kernel> makeQuantizeLinear(const Node& node, const Graph& graph);
/// y = (x − zero point) · scale.
std::unique_ptr<Kernel> makeDequantizeLinear(const Node& node, const Graph& graph);
/// uint8 codes with the scale and zero point of x's own range, widened to contain 0.
std::unique_ptr<Kernel> makeDynamicQuantizeLinear(const Node& node, const Graph& graph);

/// Products and convolutions of integers minus their zero points, exact in int32 …
std::unique_ptr<Kernel> makeMatMulInteger(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeConvInteger(const Node& node, const Graph& graph);
/// … and rounded to the grid of the output.
std::unique_ptr<Kernel> makeQLinearMatMul(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeQLinearConv(const Node& node, const Graph& graph);

/// See TrainingQuantizer.
std::unique_ptr<Kernel> makeFakeQuantize(const Node& node, const Graph& graph);

}  // namespace quantscope
