#include <algorithm>

#include "precision/edits/config_edit.h"

namespace quantscope {
namespace {

using Place = ConfigStep::Place;
using Steps = std::vector<ConfigStep>;

template <class Of>
void compare(Place place, const Of& before, const Of& after, Steps& steps) {
  if (before != after) steps.push_back({.place = place, .value = after});
}

template <class Of>
ConfigStep entryStep(Place place, const std::pair<std::string, Of>& entry) {
  return {.place = place, .name = entry.first, .value = entry.second};
}
ConfigStep entryStep(Place place, const std::pair<PointName, Encoding>& entry) {
  return {.place = place, .point = entry.first, .value = entry.second};
}
ConfigStep entryStep(Place place, const PatternPrecision& entry) {
  return {.place = place, .name = entry.match.expression(), .value = entry.use};
}

bool sameName(const ConfigStep& a, const ConfigStep& b) {
  return a.name == b.name && a.point == b.point;
}

// Of two lists of named entries. Where the old entries stay in their order and place, what differs
// or comes after them; else all of them go and come anew.
template <class Entry>
void compareLists(Place place, const std::vector<Entry>& before, const std::vector<Entry>& after,
                  Steps& steps) {
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
  compare(Place::Backend, a.backend, b.backend, steps);
  compare(Place::Convention, a.convention, b.convention, steps);
  if (a.bias != b.bias) {
    steps.push_back({.place = Place::Bias});
    if (b.bias) steps.back().value = *b.bias;
  }
  compare(Place::CalibrationSamples, a.calibrationSamples, b.calibrationSamples, steps);
  compare(Place::Detectors, *before.detectors, *after.detectors, steps);
  compare(Place::Default, a.defaults, b.defaults, steps);
  compareLists(Place::OpType, a.opTypes, b.opTypes, steps);
  compareLists(Place::Pattern, a.patterns, b.patterns, steps);
  compareLists(Place::Node, a.nodes, b.nodes, steps);
  compare(Place::Groups, a.groups, b.groups, steps);
  compareLists(Place::Encoding, before.encodings->entries, after.encodings->entries, steps);
  compareLists(Place::Equalize, before.repairs->equalize, after.repairs->equalize, steps);
  return edit;
}

}  // namespace quantscope
