#include "precision/config/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/configuration_error.h"

namespace quantscope {

JsonReader::JsonReader(const Json& json, const std::string& source, const std::string& what)
    : m_json(json), m_source(source), m_what(what) {}

JsonReader::JsonReader(const Json& json, std::string path, const JsonReader& parent)
    : m_json(json), m_path(std::move(path)), m_source(parent.m_source), m_what(parent.m_what) {}

void JsonReader::fail(const std::string& problem, const std::string& remedy) const {
  if (!m_path.empty()) throw configurationError(m_path, problem, remedy, m_source);
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
  // A number without a sign may be beyond those with one.
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (m_json.is_number_unsigned() && m_json.get<std::uint64_t>() > kMost) {
    fail("is too large", "write a number up to " + std::to_string(kMost));
  }
  return m_json.get<std::int64_t>();
}

float JsonReader::real() const {
  if (!m_json.is_number()) fail("is not a number", "write a number");
  const auto value = static_cast<float>(m_json.get<double>());
  if (!std::isfinite(value)) fail("is too large", "write a number that float32 holds");
  return value;
}

namespace {

// `byte`: as in parse_error, from 1; 0 or one past the end where the text ends too early.
TextPosition positionIn(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 = 0: the first line
  return {lines + 1, before.size() - start + 1};
}

}  // namespace

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
  } catch (const JsonReader::Json::parse_error& error) {
    const TextPosition position = positionIn(text, error.byte);
    throw Error(ErrorCode::InvalidConfiguration, what + " is not JSON",
                {.file = source, .node = {}, .value = {}, .key = {}, .position = position},
                "correct the JSON there");
  } catch (const JsonReader::Json::exception&) {
    throw Error(ErrorCode::InvalidConfiguration, what + " has a number out of range",
                {.file = source, .node = {}, .value = {}}, "write numbers that a double can hold");
  }
}

}  // namespace quantscope
