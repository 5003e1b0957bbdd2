#include <algorithm>
#include <tuple>

#include "detectors/detector.h"

namespace quantscope {
namespace {

// Registering a detector is a line here; its file declares what it exports.
const std::vector<Detector>& registered() {
  static const std::vector<Detector> kDetectors{};
  return kDetectors;
}

bool runsIn(const Detector& detector, DetectorMode mode) {
  return mode == DetectorMode::Quantscope || detector.ofPyTorch;
}

}  // namespace

std::span<const Detector> allDetectors() {
  return registered();
}

std::vector<Finding> findAll(const DetectorInput& input) {
  std::vector<Finding> all;
  for (const Detector& detector : allDetectors()) {
    if (!runsIn(detector, input.mode)) continue;
    std::vector<Finding> found = detector.find(input);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  std::vector<std::size_t> position(input.graph().nodes().size());
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    position[input.model.layers[i].layer.lead().at()] = i;
  }
  std::ranges::stable_sort(all, {}, [&](const Finding& finding) {
    const std::size_t place = finding.node.valid() ? position[finding.node.at()] : 0;
    return std::tuple(-static_cast<int>(finding.severity), place);
  });
  return all;
}

const char* name(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Critical:
      return "critical";
  }
  return "";
}

}  // namespace quantscope
