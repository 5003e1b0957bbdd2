#include <algorithm>

#include "precision/edits/config_edit.h"

namespace quantscope {
namespace {

using Steps = std::vector<ConfigStep>;

template <class Of>
void compare(ConfigStep::Entry place, const Of& before, const Of& after, Steps& steps) {
  if (before != after) steps.push_back({.place = place, .value = after});
}

template <class Of>
ConfigStep entryStep(ConfigStep::Entry place, const std::pair<std::string, Of>& entry) {
  return {.place = place, .name = entry.first, .value = entry.second};
}
ConfigStep entryStep(ConfigStep::Entry place, const std::pair<PointName, Encoding>& entry) {
  return {.place = place, .point = entry.first, .value = entry.second};
}
ConfigStep entryStep(ConfigStep::Entry place, const PatternPrecision& entry) {
  return {.place = place, .name = entry.match.expression(), .value = entry.use};
}

bool sameName(const ConfigStep& a, const ConfigStep& b) {
  return a.name == b.name && a.point == b.point;
}

// Of two lists of named entries. Where the old entries stay in their order and place, what differs
// or comes after them; else all of them go and come anew.
template <class Entry>
void compareLists(ConfigStep::Entry place, const std::vector<Entry>& before,
                  const std::vector<Entry>& after, Steps& steps) {
  Steps old;
  Steps now;
  for (const Entry& entry : before) old.push_back(entryStep(place, entry));
  for (const Entry& entry : after) now.push_back(entryStep(place, entry));
  const bool grows =
      old.size() <= now.size() && std::equal(old.begin(), old.end(), now.begin(), sameName);
  if (!grows) {
    for (const ConfigStep& step : old) {
      steps.push_back({.place = place, .name = step.name, .point = step.point});
    }
    old.clear();
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i >= old.size() || now[i] != old[i]) steps.push_back(std::move(now[i]));
  }
}

}  // namespace

ConfigEdit editBetween(const Configuration& before, const Configuration& after,
                       std::string sentence) {
  const PrecisionConfig& a = *before.precision;
  const PrecisionConfig& b = *after.precision;
  ConfigEdit edit{std::move(sentence), {}};
  Steps& steps = edit.steps;
  compare(ConfigStep::Entry::Backend, a.backend, b.backend, steps);
  compare(ConfigStep::Entry::Convention, a.convention, b.convention, steps);
  if (a.bias != b.bias) {
    steps.push_back({.place = ConfigStep::Entry::Bias});
    if (b.bias) steps.back().value = *b.bias;
  }
  compare(ConfigStep::Entry::CalibrationSamples, a.calibrationSamples, b.calibrationSamples, steps);
  compare(ConfigStep::Entry::Detectors, *before.detectors, *after.detectors, steps);
  compare(ConfigStep::Entry::Default, a.defaults, b.defaults, steps);
  compareLists(ConfigStep::Entry::OpType, a.opTypes, b.opTypes, steps);
  compareLists(ConfigStep::Entry::Pattern, a.patterns, b.patterns, steps);
  compareLists(ConfigStep::Entry::Node, a.nodes, b.nodes, steps);
  compare(ConfigStep::Entry::Groups, a.groups, b.groups, steps);
  compareLists(ConfigStep::Entry::Encoding, before.encodings->entries, after.encodings->entries,
               steps);
  compareLists(ConfigStep::Entry::Equalize, before.repairs->equalize, after.repairs->equalize,
               steps);
  return edit;
}

}  // namespace quantscope
