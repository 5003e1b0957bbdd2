#pragma once

#include <charconv>
#include <string>

namespace quantscope {

/// The shortest decimal that reads back as the same float, for messages: "1e-40", "nan", "inf".
inline std::string shortestText(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace quantscope
