#pragma once

#include <cstdint>
#include <span>

#include "repair/linear_layers.h"

namespace quantscope {

/// Neighbouring weights along the inputs of a sum whose products with uint8 may leave int16, where
/// VPMADDUBSW adds two of them and saturates: w₀·x₀ + w₁·x₁ for x of 0 … 255 stays within −32,768 …
/// 32,767 iff max(w₀, 0) + max(w₁, 0) ≤ 128 and min(w₀, 0) + min(w₁, 0) ≥ −128.
std::size_t unsafePairs(std::span<const std::int8_t> codes);

/// Over all output channels of a layer with int8 weights and uint8 inputs; 0 for other types. On
/// machines with VNNI no pair is unsafe.
std::size_t unsafePairs(const Engine& engine, const QuantizedModel& model,
                        const LinearLayer& layer);

}  // namespace quantscope
