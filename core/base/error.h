#pragma once

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

/// The place of an error; empty parts are unknown or do not apply.
struct Place {
  std::string file;
  std::string node;
  std::string value;
};

/// The one exception type of the core.
///
/// `what()` is one line that can be shown as it is: what happened, where, and what to do.
class Error : public std::runtime_error {
 public:
  /// `sentence` says what happened (no full stop), `remedy` what the user can do about it.
  Error(ErrorCode code, std::string sentence, Place place = {}, std::string remedy = {});

  ErrorCode code() const { return m_code; }
  const std::string& sentence() const { return m_sentence; }
  const Place& place() const { return m_place; }
  const std::string& remedy() const { return m_remedy; }

  /// The same error with the empty parts of its place filled in by a caller that knows more.
  Error at(const Place& outer) const;

 private:
  ErrorCode m_code;
  std::string m_sentence;
  Place m_place;
  std::string m_remedy;
};

/// Thrown by a job that was asked to stop. Not an error: nothing went wrong.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace quantscope
