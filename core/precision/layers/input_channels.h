#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The axis of a weight tensor that its input channels lie on: Conv 1 (those of one group),
/// ConvTranspose 0, Gemm 1 with transB else 0, MatMul the last but one of a right-hand and the last
/// of a left-hand weight. `input` is the weight's place.
int inputChannelAxis(const Node& node, std::size_t input, std::size_t rank);

/// How many input channels a layer with these weights has: the extent of that axis, for each group
/// of a convolution.
std::size_t inputChannelCount(const Node& node, std::size_t input, const Shape& weight);

/// Whether axis `axis` of `data` is the one that the node sums over with its weights at place
/// `input`: Conv and ConvTranspose 1, Gemm that of its transposition, MatMul the last of a
/// left-hand and the last but one of a right-hand operand. A MatMul whose data have no known rank
/// is believed.
bool meetsInputChannels(const Graph& graph, const Node& node, std::size_t input, ValueId data,
                        int axis);

/// float32 weights (Plain) of which each is divided by the factor of the input channel that it
/// meets, in double. Throws InvalidParameters where there is not one factor per input channel.
Tensor dividedByInputChannel(const Node& node, std::size_t input, const Tensor& weight,
                             std::span<const float> factors);

}  // namespace quantscope
