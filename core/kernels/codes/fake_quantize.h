#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// out[i] = in[i] rounded to the type and back to a real number:
///
/// - integers: (clamp(rne(in[i] / scale) + zeroPoint, qmin, qmax) − zeroPoint) · scale, what is
///   left of a float after ONNX's QuantizeLinear and DequantizeLinear, to the bit: a division (not
///   a product with the inverse), ties to even, and 0 for −0; ±Inf saturates;
/// - FP8: the nearest FP8 number to in[i] / scale, ties to even, subnormals kept, saturating (±Inf
///   too), times the scale; −0 stays −0;
/// - FP16, BF16: the nearest number of that type, ties to even, subnormals kept; beyond the
///   largest, ±Inf. The grid is not looked at;
/// - ternary: sign(in[i]) · scale where |in[i]| > threshold, else 0;
/// - binary: −scale for in[i] < 0, else scale, so that ±0 gives +scale.
///
/// A NaN stays the NaN it is; denormals count as what they are in every mode of the floating-point
/// unit. A real number beyond the largest float becomes ±Inf. The same bits on every CPU.
///
/// `out` may be `in` itself but must not overlap it in another way. Throws InvalidParameters for
/// lengths that differ and what gridLimits refuses: a scale that is not a positive normal number
/// (ternary and binary: not finite or below 0), qmin > qmax, or qmin − zeroPoint or
/// qmax − zeroPoint outside ±2^24.
void fakeQuantize(std::span<const float> in, std::span<float> out, const Codes& codes,
                  const Grid& grid);

/// The same with grids[c] for the elements of channel c.
void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                            const Codes& codes, std::span<const Grid> grids);

/// The same with one grid for `groupSize` consecutive channels (the last group may be shorter) and
/// each index of outer and inner: grids [outer, ⌈channels / groupSize⌉, inner], row-major.
/// Throws also InvalidParameters where their number differs, or for a group size of 0.
void fakeQuantizePerGroup(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                          std::size_t groupSize, const Codes& codes, std::span<const Grid> grids);

/// Integer types by their limits alone.
inline void fakeQuantize(std::span<const float> in, std::span<float> out, const Grid& grid,
                         std::int32_t qmin, std::int32_t qmax) {
  fakeQuantize(in, out, Codes{QuantType::Int8, qmin, qmax}, grid);
}
inline void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out,
                                   ChannelLayout layout, std::span<const Grid> grids,
                                   std::int32_t qmin, std::int32_t qmax) {
  fakeQuantizePerChannel(in, out, layout, Codes{QuantType::Int8, qmin, qmax}, grids);
}

}  // namespace quantscope
