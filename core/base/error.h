#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace quantscope {

/// The kind of an error; its sentence gives the details.
enum class ErrorCode {
  UnsupportedType,
  InvalidRange,
  CalibrationFailed,
  UnsupportedOperation,
  InvalidParameters,
  InsufficientData,
  InvalidModel,
  InvalidData,
  InvalidConfiguration,
  Io,
};

/// A place in a text, both from 1; line 0 = unknown.
struct TextPosition {
  std::size_t line = 0;
  std::size_t column = 0;  ///< in bytes
};

/// Where it went wrong; empty parts are unknown or do not apply.
struct Place {
  std::string file;
  std::string node;
  std::string value;
  std::string key = {};  ///< path of an entry in a JSON file: "groups.join[0]"
  TextPosition position = {};
};

/// The one exception type of the core.
///
/// `what()` is one line that can be shown as it is: what happened, where, and what to do.
class Error : public std::runtime_error {
 public:
  /// `problem` says what happened (no full stop), `remedy` what the user can do about it. Where the
  /// place has a key, `problem` goes on from it: "is not a list".
  Error(ErrorCode code, std::string problem, Place place = {}, std::string remedy = {});

  ErrorCode code() const { return m_code; }
  /// The problem without key and place, for callers that have their own name for the entry.
  const std::string& problem() const { return m_problem; }
  /// "'groups.join[0]' is not a list"; without a key the problem.
  std::string sentence() const;
  /// The sentence with its place: "'groups.join[0]' is not a list (c.json)".
  std::string statement() const;
  const Place& place() const { return m_place; }
  const std::string& remedy() const { return m_remedy; }

  /// The same error with the empty parts of its place filled in by a caller that knows more.
  Error at(const Place& outer) const;

 private:
  ErrorCode m_code;
  std::string m_problem;
  Place m_place;
  std::string m_remedy;
};

/// Thrown by a job that was asked to stop. Not an error: nothing went wrong.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace quantscope
