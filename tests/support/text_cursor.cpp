#include "support/text_cursor.h"

#include <cctype>
#include <stdexcept>

namespace quantscope::test {
namespace {

bool isSpace(char letter) {
  return std::isspace(static_cast<unsigned char>(letter)) != 0;
}

}  // namespace

void TextCursor::skipSpace() {
  while (m_position < m_line.size() && isSpace(m_line[m_position])) ++m_position;
}

bool TextCursor::atEnd() {
  skipSpace();
  return rest().empty();
}

bool TextCursor::take(std::string_view token) {
  skipSpace();
  if (!rest().starts_with(token)) return false;
  m_position += token.size();
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!take(token)) fail("expected '" + std::string(token) + "'");
}

std::string TextCursor::word(std::string_view stops) {
  skipSpace();
  const std::size_t first = m_position;
  while (m_position < m_line.size() && !isSpace(m_line[m_position]) &&
         stops.find(m_line[m_position]) == std::string_view::npos) {
    ++m_position;
  }
  return m_line.substr(first, m_position - first);
}

std::string TextCursor::quoted() {
  expect("\"");
  const std::size_t end = rest().find('"');
  if (end == std::string_view::npos) fail("expected '\"'");
  const std::string text(rest().substr(0, end));
  m_position += end + 1;
  return text;
}

char TextCursor::peek() {
  skipSpace();
  return rest().empty() ? '\0' : rest()[0];
}

void TextCursor::fail(const std::string& what) const {
  throw std::invalid_argument(what + " before '" + std::string(rest()) + "' in '" + m_line + "'");
}

}  // namespace quantscope::test
