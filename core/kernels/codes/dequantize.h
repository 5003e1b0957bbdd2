#pragma once

#include <cstdint>
#include <span>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// out[i] = (in[i] − zeroPoint) · scale
///
/// ONNX's DequantizeLinear, rounded once; a real number beyond the largest float becomes ±Inf.
/// Throws InvalidParameters for lengths that differ, a scale that is not a positive normal number
/// and a zero point so far off that the differences exceed ±2^24.
void dequantize(std::span<const std::int8_t> in, std::span<float> out, const Grid& grid);
void dequantize(std::span<const std::uint8_t> in, std::span<float> out, const Grid& grid);

/// The same with grids[c] for the elements of channel c.
void dequantizePerChannel(std::span<const std::int8_t> in, std::span<float> out,
                          ChannelLayout layout, std::span<const Grid> grids);
void dequantizePerChannel(std::span<const std::uint8_t> in, std::span<float> out,
                          ChannelLayout layout, std::span<const Grid> grids);

}  // namespace quantscope
