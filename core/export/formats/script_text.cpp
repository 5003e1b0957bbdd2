#include "export/formats/script_text.h"

#include <cstdint>

#include "onnx/names.h"

namespace quantscope {
namespace {

// The character at the front of well-formed UTF-8, which is taken off.
char32_t takeCharacter(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t character = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    character = character << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length);
  return character;
}

std::string escape(char32_t character) {
  constexpr char kDigits[] = "0123456789abcdef";
  const bool isLong = character > 0xFFFF;
  std::string text = isLong ? "\\U" : "\\u";
  for (int shift = isLong ? 28 : 12; shift >= 0; shift -= 4) {
    text += kDigits[character >> static_cast<unsigned>(shift) & 0xFU];
  }
  return text;
}

}  // namespace

std::string pythonString(std::string_view text) {
  // Control characters and bytes that are not UTF-8 become U+FFFD.
  const std::string printable = printableName(text);
  std::string_view rest = printable;
  std::string literal = "\"";
  while (!rest.empty()) {
    const char32_t character = takeCharacter(rest);
    if (character == U'"' || character == U'\\') literal += '\\';
    literal += character < 0x7F ? std::string(1, static_cast<char>(character)) : escape(character);
  }
  return literal + '"';
}

std::string pythonBool(bool value) {
  return value ? "True" : "False";
}

std::string csvField(std::string_view text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != text.npos;
  std::string field = formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string regexFor(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view(".^$*+?()[]{}|\\-").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string wildcardFor(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    pattern += c == '*' || c == '?' || c == '[' ? std::string("[") + c + ']' : std::string(1, c);
  }
  return pattern;
}

}  // namespace quantscope
