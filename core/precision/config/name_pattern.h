#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quantscope {

/// A regular expression as PCRE2 knows it, over UTF-8, that a whole name must match.
///
/// It has at most 1,024 bytes. A match may take a million steps: what repeats repetitions, as
/// "(a+)+b" does, can need more than any machine has time for.
class NamePattern {
 public:
  static constexpr std::size_t kLongest = 1024;

  /// Throws InvalidConfiguration for an expression that is none, or is too long.
  explicit NamePattern(const std::string& expression);

  const std::string& expression() const { return m_expression; }
  /// Bytes that are no UTF-8 match nothing. Throws InvalidConfiguration beyond the limit of steps.
  bool matches(std::string_view name) const;

  friend bool operator==(const NamePattern& a, const NamePattern& b) {
    return a.m_expression == b.m_expression;
  }

 private:
  class Matcher;

  std::string m_expression;
  std::shared_ptr<const Matcher> m_matcher;  // shared by copies: compiling is what takes time
};

}  // namespace quantscope
