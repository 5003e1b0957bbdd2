#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quantscope {

/// Bytes that `count` codes of `bits` (1, 2, 4, 8 or 16) take: ⌈count · bits / 8⌉.
std::size_t packedSize(std::size_t count, int bits);

/// Code i goes to bits [bits · (i mod k), bits · (i mod k) + bits) of byte ⌊i / k⌋, k = 8 / bits:
/// the lowest bits first, as in ONNX's int4. Only the lowest `bits` of each entry count. Unused
/// bits of the last byte are 0. `bits` is 1, 2 or 4. Throws InvalidParameters for other bits and
/// where packed.size() is not packedSize.
void packCodes(std::span<const std::uint8_t> codes, int bits, std::span<std::uint8_t> packed);

/// The reverse: each entry 0 … 2^bits − 1. Throws as packCodes does.
void unpackCodes(std::span<const std::uint8_t> packed, int bits, std::span<std::uint8_t> codes);

}  // namespace quantscope
