#pragma once

#include <cstddef>
#include <vector>

#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// The layout in which a kernel would like its first input.
Layout preferredLayout(const Kernel& kernel);

/// y[…, c, …] = x[…, c, …] · factor[c], of float32, in the layout of x where that keeps channels
/// apart. Throws InvalidParameters where the factors do not fit the axis.
Tensor scaledByChannel(Tensor x, const ChannelFactors& channels);

/// Runs one node under the quantization applied to it (may be null): puts constants in place,
/// fake-quantizes the edges, runs the kernel or passes the first input on where the node was
/// folded away, fake-quantizes the outputs. Only float tensors are touched.
void runQuantizedNode(const Engine& engine, NodeId node, const NodeQuantization* applied,
                      std::size_t batch, std::vector<Tensor>& inputs, std::vector<Tensor>& outputs);

}  // namespace quantscope
