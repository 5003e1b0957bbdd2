#include "export/report/html_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace quantscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(std::string_view text, std::size_t i) {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
}

// Length of the UTF-8 sequence that begins `text`; 0 where it is none. Overlong forms, surrogates
// and code points above U+10FFFF are none (Unicode, table 3-7).
std::size_t sequenceLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0U;
  std::size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, i)) return 0;
  }
  return length;
}

std::string_view escaped(char character) {
  if (character == '"') return "&quot;";
  if (character == '\'') return "&#39;";
  return entityOf(character);
}

bool isControl(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return (byte < 0x20 && character != '\n' && character != '\t') || byte == 0x7F;
}

}  // namespace

std::string_view entityOf(char character) {
  switch (character) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    default:
      return {};
  }
}

std::string escapeHtml(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    const std::string_view entity = escaped(text[0]);
    if (length == 0 || isControl(text[0])) {
      result += kReplacement;
    } else {
      result += entity.empty() ? text.substr(0, length) : entity;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string scriptJson(const nlohmann::ordered_json& json) {
  const std::string plain =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(plain.size());
  for (const char character : plain) {
    if (character == '<') {
      result += "\\u003c";
    } else if (character == '>') {
      result += "\\u003e";
    } else {
      result += character;
    }
  }
  return result;
}

std::string shortened(std::string_view name, std::size_t maxBytes) {
  constexpr std::string_view kEllipsis = "…";
  if (name.size() <= maxBytes) return std::string(name);
  const std::size_t kept = maxBytes - kEllipsis.size();
  std::size_t head = kept / 2;
  while (head > 0 && continues(name, head)) --head;
  std::size_t tail = name.size() - (kept - kept / 2);
  while (continues(name, tail)) ++tail;
  std::string result(name.substr(0, head));
  result += kEllipsis;
  result += name.substr(tail);
  return result;
}

}  // namespace quantscope
