#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace quantscope::test {

/// Reads a line of a test's text from left to right. White space between tokens does not count.
/// Everything that does not fit throws std::invalid_argument with the line and the place in it.
class TextCursor {
 public:
  explicit TextCursor(std::string line) : m_line(std::move(line)) {}

  bool atEnd();
  /// True, and past it, where `token` comes next.
  bool take(std::string_view token);
  void expect(std::string_view token);
  /// Everything up to white space or one of `stops`; may be empty.
  std::string word(std::string_view stops);
  /// The text between double quotes.
  std::string quoted();
  char peek();
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string_view rest() const { return std::string_view(m_line).substr(m_position); }
  void skipSpace();

  std::string m_line;
  std::size_t m_position = 0;
};

}  // namespace quantscope::test
