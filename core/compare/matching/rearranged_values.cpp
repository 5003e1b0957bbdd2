#include "compare/matching/rearranged_values.h"

#include <algorithm>

#include "compare/matching/match_values.h"

namespace quantscope {
namespace {

void addNames(const ComparedModel& model, std::size_t value, std::vector<std::string_view>& names) {
  for (const ValueId member : model.values()[value].members) {
    const std::string_view name = model.graph()[member].name;
    for (const std::string_view wanted : {name, plainName(name)}) {
      if (std::ranges::find(names, wanted) == names.end()) names.push_back(wanted);
    }
  }
}

}  // namespace

RearrangedValues::RearrangedValues(const ComparedModel& model,
                                   const std::vector<ValuePrint>& prints)
    : m_names(model.values().size()) {
  for (std::size_t i = 0; i < model.values().size(); ++i) {
    const ComparedValue& value = model.values()[i];
    const bool moves = quantscope::isRearranged(value) && !value.reads.empty() &&
                       prints[value.reads.front()].elementCount == prints[i].elementCount;
    // In execution order, so that the source of what it is made of is there.
    m_sources.push_back(moves ? m_sources[value.reads.front()] : i);
    addNames(model, i, m_names[i]);
    if (moves) addNames(model, i, m_names[m_sources[i]]);
  }
}

}  // namespace quantscope
