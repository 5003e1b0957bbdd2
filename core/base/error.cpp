#include "base/error.h"

namespace quantscope {
namespace {

std::string describe(const std::string& sentence, const Place& place, const std::string& remedy) {
  std::string where;
  const auto add = [&where](const char* kind, const std::string& name) {
    if (name.empty()) return;
    if (!where.empty()) where += ", ";
    where += kind + name;
  };
  add("", place.file);
  add("node ", place.node);
  add("value ", place.value);

  std::string text = sentence;
  if (!where.empty()) text += " (" + where + ")";
  if (!remedy.empty()) text += ": " + remedy;
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string sentence, Place place, std::string remedy)
    : std::runtime_error(describe(sentence, place, remedy)),
      m_code(code),
      m_sentence(std::move(sentence)),
      m_place(std::move(place)),
      m_remedy(std::move(remedy)) {}

Error Error::at(const Place& outer) const {
  const auto pick = [](const std::string& inner, const std::string& fallback) {
    return inner.empty() ? fallback : inner;
  };
  return {m_code, m_sentence,
          Place{pick(m_place.file, outer.file), pick(m_place.node, outer.node),
                pick(m_place.value, outer.value)},
          m_remedy};
}

}  // namespace quantscope
