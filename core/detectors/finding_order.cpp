#include "detectors/finding_order.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "detectors/detector.h"

namespace quantscope {
namespace {

std::ptrdiff_t detectorPlace(const std::string& detector) {
  const auto found = std::ranges::find(allDetectors(), detector, &Detector::name);
  return found - allDetectors().begin();
}

}  // namespace

void sortFindings(const QuantizedModel& model, std::vector<Finding>& findings) {
  std::unordered_map<NodeId, std::size_t> places;
  for (std::size_t i = 0; i < model.layers.size(); ++i) places[model.layers[i].layer.lead()] = i;
  std::ranges::stable_sort(findings, {}, [&](const Finding& finding) {
    const auto place = places.find(finding.node);
    return std::tuple(-static_cast<int>(finding.severity),
                      place == places.end() ? 0 : place->second, detectorPlace(finding.detector));
  });
}

}  // namespace quantscope
