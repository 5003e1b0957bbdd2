#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quantscope {

/// An ECMAScript regular expression that a whole name must match.
///
/// Both are limited to 1,024 characters: the standard library's matcher recurses over the name,
/// and its compiler over the expression.
class NamePattern {
 public:
  static constexpr std::size_t kLongest = 1024;

  /// Throws InvalidConfiguration for an expression that is none, or is too long.
  explicit NamePattern(const std::string& expression);

  const std::string& expression() const { return m_expression; }
  /// Throws InvalidConfiguration for a name of more than kLongest characters.
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
