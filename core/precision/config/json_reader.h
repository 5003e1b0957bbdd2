#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quantscope {

/// A JSON value with its path and file, so that every error names them. All errors are
/// Error(InvalidConfiguration): "'default.weight.type' is …".
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// The top of a text; `what` names the whole in complaints: "the configuration". All three must
  /// outlive the reader and those made from it.
  JsonReader(const Json& json, const std::string& source, const std::string& what);

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;

  const Json& json() const { return m_json; }
  const std::string& source() const { return m_source; }
  bool has(const char* key) const { return m_json.contains(key); }
  JsonReader operator[](const std::string& key) const;
  /// The elements of a list. Fails where it is none.
  std::vector<JsonReader> elements() const;
  /// The entries of an object by name, in the order of the text. Fails where it is none.
  std::vector<std::pair<std::string, JsonReader>> entries() const;

  /// Fails where this is no object or has a key beside these.
  void requireKeys(const std::set<std::string>& known) const;
  /// Fails where the key is missing.
  JsonReader required(const std::string& key) const;

  std::string text() const;
  std::vector<std::string> texts() const;
  bool boolean() const;
  std::int64_t integer() const;
  /// A finite float.
  float real() const;

 private:
  JsonReader(const Json& json, std::string path, const JsonReader& parent);

  const Json& m_json;
  std::string m_path;
  const std::string& m_source;
  const std::string& m_what;
};

/// Parses a JSON text. A key that stands twice in one object, and text that is not JSON, is
/// Error(InvalidConfiguration); `what` names the whole: "the configuration".
JsonReader::Json parseStrictJson(std::string_view text, const std::string& source,
                                 const std::string& what);

}  // namespace quantscope
