#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace quantscope {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 64;

constexpr std::array<std::uint8_t, 256> kCodes = [] {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    codes[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return codes;
}();

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = word << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text.push_back(j <= count ? kAlphabet[word >> (18 - 6 * j) & 63] : '=');
    }
  }
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t padding = 0;
    if (i + 4 == text.size() && text[i + 3] == '=') padding = text[i + 2] == '=' ? 2 : 1;
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint8_t code =
          j >= 4 - padding ? std::uint8_t{0} : kCodes[static_cast<unsigned char>(text[i + j])];
      if (code == kNone) return std::nullopt;
      word = word << 6 | code;
    }
    // Bits behind the last byte are zero.
    if ((word & ((1U << (8 * padding)) - 1)) != 0) return std::nullopt;
    for (std::size_t j = 0; j < 3 - padding; ++j) {
      bytes.push_back(static_cast<char>(word >> (16 - 8 * j) & 0xFF));
    }
  }
  return bytes;
}

}  // namespace quantscope
