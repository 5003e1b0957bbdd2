#include "export/report/markdown_text.h"

#include "export/report/html_text.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

// Marks that mean something in the middle of a line.
constexpr std::string_view kMarks = "\\`*_{}[]|~$!#^";
// Marks that mean something at its beginning: lists, underlines of headings.
constexpr std::string_view kLeadingMarks = "+-=:";

// "1. " and "1) " begin a list; a colon before slashes, and "www.", an address.
bool needsBackslash(std::string_view text, std::size_t i) {
  const char character = text[i];
  if (kMarks.find(character) != std::string_view::npos) return true;
  if (i == 0) return kLeadingMarks.find(character) != std::string_view::npos;
  if (character == ':') return text.substr(i).starts_with("://");
  if (character != '.' && character != ')') return false;
  const bool wordEnds = i + 1 == text.size() || text[i + 1] == ' ';
  if (wordEnds && text.find_first_not_of("0123456789") == i) return true;
  const std::string_view before = text.substr(i < 3 ? 0 : i - 3, i < 3 ? i : 3);
  return character == '.' && before.size() == 3 && (before[0] | 0x20) == 'w' &&
         (before[1] | 0x20) == 'w' && (before[2] | 0x20) == 'w';
}

}  // namespace

std::string escapeMarkdown(std::string_view text) {
  const std::string line = printableName(text);
  std::string escaped;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view entity = entityOf(line[i]);
    // Spaces at the beginning would make code of it, at the end a line break.
    const bool edge = line[i] == ' ' && (i == 0 || i + 1 == line.size());
    if (needsBackslash(line, i)) escaped += '\\';
    if (edge) {
      escaped += "&#32;";
    } else if (entity.empty()) {
      escaped += line[i];
    } else {
      escaped += entity;
    }
  }
  return escaped;
}

}  // namespace quantscope
