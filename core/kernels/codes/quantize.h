#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// out[i] = clamp(rne(in[i] / scale) + zeroPoint, qmin, qmax)
///
/// ONNX's QuantizeLinear: a division, ties to even, ±Inf saturates, denormals keep their value in
/// every mode of the floating-point unit; the same codes on every CPU. A NaN has no code: it gets
/// that of 0, and the result says how many there were.
///
/// Throws InvalidParameters for lengths that differ, codes outside the type's, and what
/// fakeQuantize refuses.
std::size_t quantize(std::span<const float> in, std::span<std::int8_t> out, const Grid& grid,
                     std::int32_t qmin, std::int32_t qmax);
std::size_t quantize(std::span<const float> in, std::span<std::uint8_t> out, const Grid& grid,
                     std::int32_t qmin, std::int32_t qmax);

/// The same with grids[c] for the elements of channel c.
std::size_t quantizePerChannel(std::span<const float> in, std::span<std::int8_t> out,
                               ChannelLayout layout, std::span<const Grid> grids, std::int32_t qmin,
                               std::int32_t qmax);
std::size_t quantizePerChannel(std::span<const float> in, std::span<std::uint8_t> out,
                               ChannelLayout layout, std::span<const Grid> grids, std::int32_t qmin,
                               std::int32_t qmax);

}  // namespace quantscope
