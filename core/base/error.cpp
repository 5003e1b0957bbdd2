#include "base/error.h"

#include <utility>

namespace quantscope {
namespace {

std::string sentenceOf(const std::string& problem, const Place& place) {
  return place.key.empty() ? problem : "'" + place.key + "' " + problem;
}

std::string statementOf(const std::string& problem, const Place& place) {
  std::string where;
  const auto add = [&where](const char* kind, const std::string& name) {
    if (name.empty()) return;
    if (!where.empty()) where += ", ";
    where += kind + name;
  };
  add("", place.file);
  add("node ", place.node);
  add("value ", place.value);
  if (place.position.line > 0) {
    add("line ", std::to_string(place.position.line));
    add("column ", std::to_string(place.position.column));
  }
  return sentenceOf(problem, place) + (where.empty() ? "" : " (" + where + ")");
}

std::string lineOf(const std::string& problem, const Place& place, const std::string& remedy) {
  return statementOf(problem, place) + (remedy.empty() ? "" : ": " + remedy);
}

}  // namespace

Error::Error(ErrorCode code, std::string problem, Place place, std::string remedy)
    : std::runtime_error(lineOf(problem, place, remedy)),
      m_code(code),
      m_problem(std::move(problem)),
      m_place(std::move(place)),
      m_remedy(std::move(remedy)) {}

std::string Error::sentence() const {
  return sentenceOf(m_problem, m_place);
}

std::string Error::statement() const {
  return statementOf(m_problem, m_place);
}

Error Error::at(const Place& outer) const {
  const auto pick = [](const std::string& inner, const std::string& fallback) {
    return inner.empty() ? fallback : inner;
  };
  return {m_code, m_problem,
          Place{.file = pick(m_place.file, outer.file),
                .node = pick(m_place.node, outer.node),
                .value = pick(m_place.value, outer.value),
                .key = pick(m_place.key, outer.key),
                .position = m_place.position.line > 0 ? m_place.position : outer.position},
          m_remedy};
}

}  // namespace quantscope
