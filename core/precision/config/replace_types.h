#pragma once

#include <cstdint>

#include "precision/config/precision_config.h"

namespace quantscope {

/// Replaces the type of a tensor's precision. Narrowed codes, ranges set by hand and, where the new
/// type has no scale, axes and groups of scales are dropped; floats and sign codes are symmetric.
void setType(TensorPrecision& precision, QuantType type);

/// `precision` with its weights at `type`, and its activations and outputs at the type of the same
/// width: of integers the one that is signed as they are now (int4 weights beside uint8
/// activations give uint4), else `type` itself. Activations that are left float stay so. fp32
/// leaves the whole node as it is in the model. Activations in ternary and binary are per tensor,
/// as magnitudes are observed.
NodePrecision withType(NodePrecision precision, QuantType type);

/// The quantized part of a layer.
enum class PrecisionPart : std::uint8_t { Both, Weights, Activations };

/// `precision` with the other part in float.
NodePrecision withOnly(NodePrecision precision, PrecisionPart part);

}  // namespace quantscope
