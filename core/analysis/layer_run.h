#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/applied_quantization.h"
#include "engine/engine.h"
#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// Gives the value that a node of a layer reads from outside of the layer as input `input`, in the
/// layout that its kernel prefers.
using LayerInput = std::function<Tensor(NodeId node, std::size_t input, Layout preferred)>;

/// By member of a layer; null if nothing is applied to it.
using MemberQuantization = std::vector<const NodeQuantization*>;

/// The quantization that a model applies to the members of a layer; the model must outlive it.
MemberQuantization quantizationOf(const FusedLayer& layer, const AppliedQuantization& applied);

/// Runs the nodes of one layer alone, each under the quantization applied to it, and returns the
/// first output of the last one. All nodes must have a kernel.
Tensor runLayer(const Engine& engine, const FusedLayer& layer,
                const MemberQuantization& quantization, std::size_t batch,
                const LayerInput& inputOf);

}  // namespace quantscope
