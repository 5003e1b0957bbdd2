#include "precision/backend/backend.h"

#include <algorithm>

namespace quantscope {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

}  // namespace

bool Backend::quantizes(std::string_view op, bool dynamic) const {
  return std::ranges::any_of(ways, [&](const OperatorWay& way) {
    return contains(way.operators, op) && (dynamic || !way.dynamic);
  });
}

bool Backend::knows(std::string_view op) const {
  return quantizes(op, true);
}

bool Backend::shares(std::string_view op) const {
  return contains(sharing, op);
}

bool Backend::sharesInputs(std::string_view op) const {
  return shares(op) || contains(sharingInputs, op);
}

const PatternRule* Backend::patternOf(std::string_view lead) const {
  const auto found = std::ranges::find_if(
      patterns, [&](const PatternRule& rule) { return contains(rule.leads, lead); });
  return found == patterns.end() ? nullptr : &*found;
}

}  // namespace quantscope
