#include "precision/known_grids.h"

namespace quantscope {
namespace {

std::vector<ValueId> valuesOf(const ObserverGroups& groups, std::size_t group) {
  std::vector<ValueId> values;
  for (const std::size_t member : groups.members[group])
    values.push_back(groups.points[member].value);
  return values;
}

}  // namespace

KnownGrids::KnownGrids(const QuantizedModel& model) {
  for (std::size_t group = 0; group < model.groups.members.size(); ++group) {
    const QuantizationPoint& first = model.groups.points[model.groups.members[group].front()];
    m_byValues[valuesOf(model.groups, group)].push_back(
        {first.precision, first.fixed, model.groupParams[group]});
  }
}

const std::optional<QuantParams>* KnownGrids::find(const ObserverGroups& groups,
                                                   std::size_t group) const {
  if (m_byValues.empty()) return nullptr;
  const auto found = m_byValues.find(valuesOf(groups, group));
  if (found == m_byValues.end()) return nullptr;
  const QuantizationPoint& first = groups.points[groups.members[group].front()];
  for (const Known& known : found->second) {
    if (known.precision == first.precision && known.fixed == first.fixed) return &known.params;
  }
  return nullptr;
}

}  // namespace quantscope
