#include "precision/config/name_pattern.h"

#include <regex>

#include "base/error.h"

namespace quantscope {
namespace {

// libstdc++'s usual matcher tries alternatives one after the other and can take exponential time;
// its other one takes polynomial time but knows no back references.
std::regex compile(const std::string& expression) {
#ifdef __GLIBCXX__
  try {
    return std::regex(expression, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    if (error.code() != std::regex_constants::error_complexity) throw;
  }
#endif
  return std::regex(expression);
}

}  // namespace

class NamePattern::Matcher {
 public:
  explicit Matcher(const std::string& expression) : m_regex(compile(expression)) {}
  bool matches(std::string_view name) const {
    return std::regex_match(name.begin(), name.end(), m_regex);
  }

 private:
  std::regex m_regex;
};

NamePattern::NamePattern(const std::string& expression) : m_expression(expression) {
  if (expression.size() > kLongest) {
    throw Error(ErrorCode::InvalidConfiguration,
                "the pattern has " + std::to_string(expression.size()) + " characters", {},
                "use at most " + std::to_string(kLongest));
  }
  try {
    m_matcher = std::make_shared<const Matcher>(expression);
  } catch (const std::regex_error& error) {
    throw Error(ErrorCode::InvalidConfiguration,
                "'" + expression + "' is no regular expression: " + error.what(), {},
                "write one as in ECMAScript, such as /encoder/.*");
  }
}

bool NamePattern::matches(std::string_view name) const {
  if (name.size() > kLongest) {
    throw Error(ErrorCode::InvalidConfiguration,
                "patterns cannot be matched against a name of " + std::to_string(name.size()) +
                    " characters",
                {.file = {}, .node = std::string(name.substr(0, 64)) + "…", .value = {}},
                "give the model's nodes shorter names, or use op_types");
  }
  return m_matcher->matches(name);
}

}  // namespace quantscope
