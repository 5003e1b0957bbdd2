#include "precision/config/name_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <new>

#include "base/error.h"

namespace quantscope {
namespace {

// A name takes as many steps as it has characters, and a few times that where there are
// alternatives; this many are over in about 10 ms.
constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::uint32_t kMaxKibibytes = 16 * 1024;
constexpr std::size_t kShown = 64;  // bytes of a name in a message

using Code = std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)>;
using Limits = std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)>;
using MatchData = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

std::string messageOf(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

class NamePattern::Matcher {
 public:
  explicit Matcher(const std::string& expression)
      : m_code(compile(expression)),
        m_limits(pcre2_match_context_create(nullptr), pcre2_match_context_free) {
    if (m_limits == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(m_limits.get(), kMaxSteps);
    pcre2_set_heap_limit(m_limits.get(), kMaxKibibytes);
  }

  /// At least 0 for a match, else PCRE2's number of what happened.
  int match(std::string_view name) const {
    const MatchData data(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
    if (data == nullptr) throw std::bad_alloc();
    const int result =
        pcre2_match(m_code.get(), bytes(name), name.size(), 0, 0, data.get(), m_limits.get());
    // Bytes that are no UTF-8 end what PCRE2 looks at, but not the name.
    const bool whole = result < 0 || pcre2_get_ovector_pointer(data.get())[1] == name.size();
    return whole ? result : PCRE2_ERROR_NOMATCH;
  }

 private:
  static Code compile(const std::string& expression) {
    constexpr std::uint32_t kOptions = PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY |
                                       PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
                                       PCRE2_NEVER_BACKSLASH_C;
    int error = 0;
    PCRE2_SIZE position = 0;
    Code code(
        pcre2_compile(bytes(expression), expression.size(), kOptions, &error, &position, nullptr),
        pcre2_code_free);
    if (code == nullptr) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "'" + expression + "' is no regular expression: " + messageOf(error) +
                      " at character " + std::to_string(position),
                  {}, "write one as in PCRE2 or Perl, such as /encoder/.*");
    }
    return code;
  }

  Code m_code;
  Limits m_limits;
};

NamePattern::NamePattern(const std::string& expression) : m_expression(expression) {
  if (expression.size() > kLongest) {
    throw Error(ErrorCode::InvalidConfiguration,
                "the pattern has " + std::to_string(expression.size()) + " characters", {},
                "use at most " + std::to_string(kLongest));
  }
  m_matcher = std::make_shared<const Matcher>(expression);
}

bool NamePattern::matches(std::string_view name) const {
  const int result = m_matcher->match(name);
  if (result == PCRE2_ERROR_NOMATCH) return false;
  if (result < 0) {
    throw Error(ErrorCode::InvalidConfiguration,
                "the pattern '" + m_expression + "' cannot be matched: " + messageOf(result),
                {.file = {}, .node = std::string(name.substr(0, kShown)), .value = {}},
                "write it without repetitions inside repetitions");
  }
  return true;
}

}  // namespace quantscope
