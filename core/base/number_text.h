#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>

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

}  // namespace quantscope
