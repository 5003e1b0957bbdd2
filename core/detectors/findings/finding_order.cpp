#include "detectors/findings/finding_order.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "detectors/detector.h"

namespace quantscope {
namespace {

std::unordered_map<std::string_view, std::size_t> detectorPlaces() {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const Detector& detector : allDetectors()) places.emplace(detector.name, places.size());
  return places;
}

template <class Key>
std::size_t placeOf(const std::unordered_map<Key, std::size_t>& places, const Key& key,
                    std::size_t otherwise) {
  const auto found = places.find(key);
  return found == places.end() ? otherwise : found->second;
}

}  // namespace

void sortFindings(const QuantizedModel& model, std::vector<Finding>& findings) {
  std::unordered_map<NodeId, std::size_t> places;
  for (std::size_t i = 0; i < model.layers.size(); ++i) places[model.layers[i].layer.lead()] = i;
  static const std::unordered_map<std::string_view, std::size_t> kDetectors = detectorPlaces();
  std::ranges::stable_sort(findings, {}, [&](const Finding& finding) {
    const double gainDb = finding.suggestion ? finding.suggestion->gainDb.value_or(0) : 0;
    return std::tuple(-static_cast<int>(finding.severity), -gainDb,
                      placeOf(places, finding.node, 0),
                      placeOf<std::string_view>(kDetectors, finding.detector, kDetectors.size()));
  });
}

}  // namespace quantscope
