// Packs eight codes at a time in one 64-bit word: neighbours are merged pair by pair, then pairs of
// pairs. That is a dozen plain instructions for 32 bytes of floats, the same on every CPU.
#include "kernels/codes/packed_codes.h"

#include <cstring>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

constexpr std::size_t kAtOnce = 8;

constexpr std::uint64_t kPairs = 0x00FF00FF00FF00FFU;
constexpr std::uint64_t kFours = 0x0000FFFF0000FFFFU;
constexpr std::uint64_t kEights = 0x00000000FFFFFFFFU;

// The lowest `bits` of each byte, repeated for a mask.
constexpr std::uint64_t everyByte(std::uint64_t byte) {
  return byte * 0x0101010101010101U;
}

// Eight bytes with a code each → 8 · bits bits.
template <int bits>
std::uint64_t pack(std::uint64_t codes) {
  constexpr std::uint64_t kCode = (1U << bits) - 1;
  constexpr std::uint64_t kPair = (1U << 2 * bits) - 1;
  constexpr std::uint64_t kFour = (std::uint64_t{1} << 4 * bits) - 1;
  constexpr std::uint64_t kEight = (std::uint64_t{1} << 8 * bits) - 1;
  codes &= everyByte(kCode);
  codes = (codes | codes >> (8 - bits)) & (kPairs & kPair * 0x0001000100010001U);
  codes = (codes | codes >> (16 - 2 * bits)) & (kFours & kFour * 0x0000000100000001U);
  return (codes | codes >> (32 - 4 * bits)) & (kEights & kEight);
}

template <int bits>
std::uint64_t unpack(std::uint64_t packed) {
  constexpr std::uint64_t kCode = (1U << bits) - 1;
  constexpr std::uint64_t kPair = (1U << 2 * bits) - 1;
  constexpr std::uint64_t kFour = (std::uint64_t{1} << 4 * bits) - 1;
  packed = (packed | packed << (32 - 4 * bits)) & kFour * 0x0000000100000001U;
  packed = (packed | packed << (16 - 2 * bits)) & kPair * 0x0001000100010001U;
  return (packed | packed << (8 - bits)) & everyByte(kCode);
}

template <int bits>
void packAll(std::span<const std::uint8_t> codes, std::uint8_t* packed) {
  std::size_t i = 0;
  for (; i + kAtOnce <= codes.size(); i += kAtOnce, packed += bits) {
    std::uint64_t word = 0;
    std::memcpy(&word, codes.data() + i, kAtOnce);
    word = pack<bits>(word);
    std::memcpy(packed, &word, bits);
  }
  if (i == codes.size()) return;
  std::uint64_t word = 0;
  std::memcpy(&word, codes.data() + i, codes.size() - i);
  word = pack<bits>(word);
  std::memcpy(packed, &word, packedSize(codes.size() - i, bits));
}

template <int bits>
void unpackAll(const std::uint8_t* packed, std::span<std::uint8_t> codes) {
  std::size_t i = 0;
  for (; i + kAtOnce <= codes.size(); i += kAtOnce, packed += bits) {
    std::uint64_t word = 0;
    std::memcpy(&word, packed, bits);
    word = unpack<bits>(word);
    std::memcpy(codes.data() + i, &word, kAtOnce);
  }
  if (i == codes.size()) return;
  std::uint64_t word = 0;
  std::memcpy(&word, packed, packedSize(codes.size() - i, bits));
  word = unpack<bits>(word);
  std::memcpy(codes.data() + i, &word, codes.size() - i);
}

void requirePacked(std::size_t codes, int bits, std::size_t packed) {
  if (bits != 1 && bits != 2 && bits != 4) {
    throw Error(ErrorCode::InvalidParameters,
                "codes of " + std::to_string(bits) + " bits are not packed");
  }
  if (packed == packedSize(codes, bits)) return;
  throw Error(ErrorCode::InvalidParameters, std::to_string(codes) + " codes of " +
                                                std::to_string(bits) + " bits do not take " +
                                                std::to_string(packed) + " bytes");
}

}  // namespace

std::size_t packedSize(std::size_t count, int bits) {
  if (bits == 16) return 2 * count;
  const std::size_t perByte = 8 / static_cast<std::size_t>(bits);
  return count / perByte + (count % perByte != 0);
}

void packCodes(std::span<const std::uint8_t> codes, int bits, std::span<std::uint8_t> packed) {
  requirePacked(codes.size(), bits, packed.size());
  if (bits == 4) return packAll<4>(codes, packed.data());
  if (bits == 2) return packAll<2>(codes, packed.data());
  packAll<1>(codes, packed.data());
}

void unpackCodes(std::span<const std::uint8_t> packed, int bits, std::span<std::uint8_t> codes) {
  requirePacked(codes.size(), bits, packed.size());
  if (bits == 4) return unpackAll<4>(packed.data(), codes);
  if (bits == 2) return unpackAll<2>(packed.data(), codes);
  unpackAll<1>(packed.data(), codes);
}

}  // namespace quantscope
