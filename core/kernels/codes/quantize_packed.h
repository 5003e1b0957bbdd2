#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Bytes that `count` codes of a type take in storage: ⌈count · bits / 8⌉.
std::size_t storageSize(QuantType type, std::size_t count);

/// The codes of in[i] as they are stored, so that dequantizePacked gives what fakeQuantize does, to
/// the bit.
///
/// Codes below 8 bits lie as packCodes says, lowest bits first; those of 16 bits little endian.
/// Integers are in two's complement, with their zero point; FP8, FP16 and BF16 as the formats
/// define them; ternary −1, 0, 1 in two's complement of 2 bits; binary −1 as 0, +1 as 1.
///
/// A NaN has no code where the format has none: it gets that of 0, and the result says how many
/// there were. Float formats keep it as a quiet NaN; it is counted too.
///
/// `out` starts at an even address for types of 16 bits.
/// Throws InvalidParameters for float32, for an `out` that is not storageSize bytes, codes beyond
/// the type's and what fakeQuantize refuses.
std::size_t quantizePacked(std::span<const float> in, std::span<std::uint8_t> out,
                           const Codes& codes, const Grid& grid);

/// The same with grids[c] for the elements of channel c.
std::size_t quantizePackedPerChannel(std::span<const float> in, std::span<std::uint8_t> out,
                                     ChannelLayout layout, const Codes& codes,
                                     std::span<const Grid> grids);

/// The same with a grid per group, see fakeQuantizePerGroup.
std::size_t quantizePackedPerGroup(std::span<const float> in, std::span<std::uint8_t> out,
                                   ChannelLayout layout, std::size_t groupSize, const Codes& codes,
                                   std::span<const Grid> grids);

/// The real numbers of stored codes: out[i] for code i of `in`. Throws as above.
void dequantizePacked(std::span<const std::uint8_t> in, std::span<float> out, const Codes& codes,
                      const Grid& grid);
void dequantizePackedPerChannel(std::span<const std::uint8_t> in, std::span<float> out,
                                ChannelLayout layout, const Codes& codes,
                                std::span<const Grid> grids);
void dequantizePackedPerGroup(std::span<const std::uint8_t> in, std::span<float> out,
                              ChannelLayout layout, std::size_t groupSize, const Codes& codes,
                              std::span<const Grid> grids);

}  // namespace quantscope
