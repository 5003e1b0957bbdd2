#pragma once

#include "base/error.h"

namespace quantscope {

/// An Error of the code InvalidConfiguration about one entry of a configuration, or of another JSON
/// file: "'groups.join[0]' is not a list (FILE): REMEDY".
class ConfigurationError : public Error {
 public:
  /// `key` is the path of the entry, "groups.join[0]"; `problem` goes on from it: "is not a list".
  ConfigurationError(std::string key, std::string problem, const std::string& remedy,
                     const std::string& file = {});

  const std::string& key() const { return m_key; }
  /// The sentence without the key, for callers with their own name for the entry.
  const std::string& problem() const { return m_problem; }

 private:
  std::string m_key;
  std::string m_problem;
};

}  // namespace quantscope
