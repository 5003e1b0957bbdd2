#include "precision/config/json_reader.h"

#include <cmath>

#include "base/configuration_error.h"

namespace quantscope {

JsonReader::JsonReader(const Json& json, const std::string& source, const std::string& what)
    : m_json(json), m_source(source), m_what(what) {}

JsonReader::JsonReader(const Json& json, std::string path, const JsonReader& parent)
    : m_json(json), m_path(std::move(path)), m_source(parent.m_source), m_what(parent.m_what) {}

void JsonReader::fail(const std::string& problem, const std::string& remedy) const {
  if (!m_path.empty()) throw ConfigurationError(m_path, problem, remedy, m_source);
  throw Error(ErrorCode::InvalidConfiguration, m_what + " " + problem,
              {.file = m_source, .node = {}, .value = {}}, remedy);
}

JsonReader JsonReader::operator[](const std::string& key) const {
  return {m_json.at(key), m_path.empty() ? key : m_path + "." + key, *this};
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!m_json.is_array()) fail("is not a list", "write […]");
  std::vector<JsonReader> list;
  for (std::size_t i = 0; i < m_json.size(); ++i) {
    list.push_back(JsonReader(m_json[i], m_path + "[" + std::to_string(i) + "]", *this));
  }
  return list;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::entries() const {
  if (!m_json.is_object()) fail("is not an object", "write {…}");
  std::vector<std::pair<std::string, JsonReader>> list;
  for (const auto& [key, value] : m_json.items()) list.emplace_back(key, (*this)[key]);
  return list;
}

void JsonReader::requireKeys(const std::set<std::string>& known) const {
  if (!m_json.is_object()) fail("is not an object", "write {…}");
  for (const auto& [key, value] : m_json.items()) {
    if (known.contains(key)) continue;
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    fail("has the unknown key '" + key + "'", "use one of " + list);
  }
}

JsonReader JsonReader::required(const std::string& key) const {
  if (!m_json.is_object()) fail("is not an object", "write {…}");
  if (!m_json.contains(key)) fail("has no key '" + key + "'", "add it");
  return (*this)[key];
}

std::string JsonReader::text() const {
  if (!m_json.is_string()) fail("is not a string", "write a text in quotes");
  return m_json.get<std::string>();
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> list;
  for (const JsonReader& element : elements()) list.push_back(element.text());
  return list;
}

bool JsonReader::boolean() const {
  if (!m_json.is_boolean()) fail("is not a boolean", "write true or false");
  return m_json.get<bool>();
}

std::int64_t JsonReader::integer() const {
  if (!m_json.is_number_integer()) fail("is not a whole number", "write a number");
  return m_json.get<std::int64_t>();
}

float JsonReader::real() const {
  const double value = m_json.is_number() ? m_json.get<double>() : std::nan("");
  if (!std::isfinite(static_cast<float>(value))) fail("is not a number", "write a number");
  return static_cast<float>(value);
}

// nlohmann's parser keeps the last of two equal keys without a word.
JsonReader::Json parseStrictJson(std::string_view text, const std::string& source,
                                 const std::string& what) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int /*depth*/, JsonReader::Json::parse_event_t event,
                         JsonReader::Json& parsed) {
    if (event == JsonReader::Json::parse_event_t::object_start) keys.emplace_back();
    if (event == JsonReader::Json::parse_event_t::object_end) keys.pop_back();
    if (event == JsonReader::Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "the key " + parsed.dump() + " stands twice in one object",
                  {.file = source, .node = {}, .value = {}}, "remove one of them");
    }
    return true;
  };
  try {
    return JsonReader::Json::parse(text, check);
  } catch (const JsonReader::Json::exception& error) {
    // Behind the library's own name for it, in brackets.
    const std::string_view said = error.what();
    throw Error(ErrorCode::InvalidConfiguration,
                what + " is not JSON: " + std::string(said.substr(said.find("] ") + 2)),
                {.file = source, .node = {}, .value = {}}, "correct the JSON there");
  }
}

}  // namespace quantscope
