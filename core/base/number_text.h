#pragma once

#include <charconv>
#include <concepts>
#include <string>

namespace quantscope {

/// The shortest decimal that reads back as the same number, for messages: "1e-40", "nan", "inf".
template <std::floating_point Number>
std::string shortestText(Number number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace quantscope
