#pragma once

#include <cstdint>
#include <span>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// out[i] = (clamp(rne(in[i] / scale) + zeroPoint, qmin, qmax) − zeroPoint) · scale
///
/// what is left of a float after ONNX's QuantizeLinear and DequantizeLinear, to the bit: a
/// division (not a product with the inverse), ties to even, and 0 for −0. ±Inf saturates, a NaN
/// stays the NaN it is, denormals count as what they are in every mode of the floating-point
/// unit. A real number beyond the largest float becomes ±Inf. The same bits on every CPU.
///
/// `out` may be `in` itself but must not overlap it in another way. Throws InvalidParameters for
/// lengths that differ, a scale that is not a positive normal number, qmin > qmax, or
/// qmin − zeroPoint or qmax − zeroPoint outside ±2^24.
void fakeQuantize(std::span<const float> in, std::span<float> out, const Grid& grid,
                  std::int32_t qmin, std::int32_t qmax);

/// The same with grids[c] for the elements of channel c.
void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                            std::span<const Grid> grids, std::int32_t qmin, std::int32_t qmax);

}  // namespace quantscope
