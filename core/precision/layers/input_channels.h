#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The axis of a weight tensor that its input channels lie on: Conv 1 (those of one group),
/// ConvTranspose 0, Gemm 1 with transB else 0, MatMul the last but one of a right-hand and the last
/// of a left-hand weight; −1 for operators without such an axis. `slot` is the weight's place.
int inputChannelAxis(const Node& node, std::size_t slot, std::size_t rank);

/// How many input channels a layer with these weights has: the extent of that axis, for each group
/// of a convolution. 0 where there is no such axis.
std::size_t inputChannelCount(const Node& node, std::size_t slot, const Shape& weight);

/// True if `axis` of `data` is the one that the node sums over with its weights at place `slot`:
/// Conv and ConvTranspose 1, Gemm that of its transposition, MatMul the last of a left-hand and the
/// last but one of a right-hand operand. For a MatMul whose data have no known rank every axis is
/// accepted.
bool meetsInputChannels(const Graph& graph, const Node& node, std::size_t slot, ValueId data,
                        int axis);

/// float32 weights (Plain) of which each is divided by the factor of the input channel that it
/// meets, in double. Throws InvalidParameters where there is not one factor per input channel.
Tensor dividedByInputChannel(const Node& node, std::size_t slot, const Tensor& weight,
                             std::span<const float> factors);

}  // namespace quantscope
