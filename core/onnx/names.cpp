#include "onnx/names.h"

#include <cstdint>

#include "graph/graph.h"

namespace quantscope {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Bytes of the well-formed UTF-8 sequence at the front of `text`; 0 where there is none.
// Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t sequenceLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80U) return 1;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!isContinuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  if (lead == 0xE0U && second < 0xA0U) return 0;
  if (lead == 0xEDU && second > 0x9FU) return 0;
  if (lead == 0xF0U && second < 0x90U) return 0;
  if (lead == 0xF4U && second > 0x8FU) return 0;
  return length;
}

bool isControl(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20U || code == 0x7FU;
}

}  // namespace

std::string printableName(std::string_view name) {
  std::string printable;
  printable.reserve(name.size());
  while (!name.empty()) {
    const std::size_t length = sequenceLength(name);
    const bool bad = length == 0 || isControl(name[0]);
    printable += bad ? kReplacement : name.substr(0, length);
    name.remove_prefix(bad ? 1 : length);
  }
  return printable;
}

std::string madeUpNodeName(std::string_view op, std::string_view firstOutput) {
  const std::string last = shortName(firstOutput);
  if (last.empty()) return std::string(firstOutput) + std::string(op);
  if (last.starts_with(op)) return std::string(firstOutput);
  const std::string_view scope = firstOutput.substr(0, firstOutput.size() - last.size());
  return std::string(scope) + std::string(op) + "_" + last;
}

std::string UniqueNames::takeLike(const std::string& wanted) {
  if (take(wanted)) return wanted;
  // Counting goes on where it stopped: a thousand equal names cost a thousand steps, not their
  // square.
  for (std::size_t number = m_taken[wanted];; ++number) {
    std::string candidate = wanted + "_" + std::to_string(number);
    if (!take(candidate)) continue;
    m_taken[wanted] = number + 1;
    return candidate;
  }
}

}  // namespace quantscope
