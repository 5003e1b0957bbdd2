#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace quantscope {

/// The shortest decimal that reads back as the same number, for messages: "1e-40", "nan", "inf".
template <std::floating_point Number>
std::string shortestText(Number number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// "1 sample", "12 samples": the plural takes an s.
inline std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "int8", "int8 or fp16", "int8, fp16 or fp32"
std::string alternatives(const std::vector<std::string>& words);

/// Three significant digits: "31.2", "0.0123", "1,830", "1.20e-07"; "∞", "−∞"; "–" for NaN.
std::string shortNumber(double value);
std::string shortNumber(const std::optional<double>& value);

/// At most three significant digits and no zeros behind them: "31.2", "4", "1830", "−0.5".
std::string briefNumber(double value);

/// The number with `decimals` digits behind the point, in ASCII.
std::string fixedNumber(double value, int decimals);

/// The same, with its sign also where it is positive: "+3", "-1.5".
std::string signedNumber(double value, int decimals);

/// The number with as many digits as are needed to read the same number back.
std::string exactNumber(double value);

/// "31.2 dB", "∞ dB", "−∞ dB"; "–" for none.
std::string decibelText(double value, int decimals = 1);
std::string decibelText(const std::optional<double>& value, int decimals = 1);

/// With three significant digits; "not computed" for none.
std::string computedDecibels(const std::optional<double>& value);

/// "95.8 %" of a share 0 … 1.
std::string percent(double share);

/// The same as a brief number: "4 %", "12.3 %".
std::string briefPercent(double share);

/// "239 kB", "1.24 MB": powers of 1000, three digits.
std::string byteSize(double bytes);

/// "12,345"
std::string grouped(std::size_t count);

}  // namespace quantscope
