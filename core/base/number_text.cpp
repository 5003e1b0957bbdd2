#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace quantscope {
namespace {

// Beyond these sizes a plain number would need more zeros than digits.
constexpr double kSmallestPlain = 1e-4;
constexpr double kLargestPlain = 1e6;

template <class... Format>
std::string converted(double value, Format... format) {
  std::array<char, 400> buffer;  // the longest double in plain notation has 309 digits
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return {buffer.data(), result.ptr};
}

std::string notFinite(double value) {
  if (std::isnan(value)) return "–";
  return value > 0 ? "∞" : "−∞";
}

std::string withMinus(std::string text) {
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

// Number of decimals that make three digits, also if rounding adds one before the point.
int decimals(double size) {
  if (size == 0) return 2;
  auto exponent = static_cast<int>(std::floor(std::log10(size)));
  if (size / std::pow(10, exponent) >= 9.995) ++exponent;
  return std::clamp(2 - exponent, 0, 12);
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

std::string shortNumber(double value) {
  if (!std::isfinite(value)) return notFinite(value);
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1000 && size < kLargestPlain) {
    return (value < 0 ? "−" : "") + grouped(static_cast<std::size_t>(std::llround(size)));
  }
  if (size < kSmallestPlain || size >= kLargestPlain) {
    return withMinus(converted(value, std::chars_format::scientific, 2));
  }
  return withMinus(converted(value, std::chars_format::fixed, decimals(size)));
}

std::string shortNumber(const std::optional<double>& value) {
  return value ? shortNumber(*value) : "–";
}

std::string briefNumber(double value) {
  std::array<char, 32> text{};
  const double size = std::abs(value);
  const bool whole = size >= 100 && size < kLargestPlain;
  std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.3g", size);
  return (value < 0 ? "−" : "") + std::string(text.data());
}

std::string fixedNumber(double value, int decimals) {
  return converted(value, std::chars_format::fixed, decimals);
}

std::string signedNumber(double value, int decimals) {
  return (value >= 0 ? "+" : "") + fixedNumber(value, decimals);
}

std::string exactNumber(double value) {
  return std::isfinite(value) ? withMinus(shortestText(value)) : notFinite(value);
}

std::string decibelText(double value, int decimals) {
  return (std::isinf(value) ? notFinite(value) : fixedNumber(value, decimals)) + " dB";
}

std::string decibelText(const std::optional<double>& value, int decimals) {
  return value ? decibelText(*value, decimals) : "–";
}

std::string computedDecibels(const std::optional<double>& value) {
  return value ? shortNumber(*value) + " dB" : "not computed";
}

std::string percent(double share) {
  if (share > 0 && share < 0.0001) return "under 0.01 %";
  const int digits = share < 0.01 ? 2 : 1;
  return converted(100 * share, std::chars_format::fixed, digits) + " %";
}

std::string briefPercent(double share) {
  return briefNumber(100 * share) + " %";
}

std::string byteSize(double bytes) {
  static constexpr std::array<const char*, 4> kUnits{" B", " kB", " MB", " GB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return withMinus(converted(bytes, std::chars_format::fixed,
                             unit == 0 ? 0 : decimals(std::abs(bytes)))) +
         kUnits[unit];
}

std::string grouped(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace quantscope
