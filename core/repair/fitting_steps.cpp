#include "repair/fitting_steps.h"

#include <algorithm>
#include <string_view>

#include "repair/named_layers.h"
#include "repair/repair_step.h"

namespace quantscope {
namespace {

enum class Fault {
  Channels,  // ranges of channels that one grid does not fit
  Rounding,  // of weights
  Range,     // an activation's grid reaches too far
  Bias,      // an integer bias does not fit
  Dead,      // channels that are the same everywhere
};

struct Entry {
  std::string_view detector;
  Fault fault;
};

constexpr Entry kEntries[] = {
    {"per_channel", Fault::Channels},         {"equalization", Fault::Channels},
    {"depthwise_disparity", Fault::Channels}, {"channel_dominance", Fault::Channels},
    {"grouped_scales", Fault::Channels},      {"shared_grid", Fault::Channels},
    {"range_mismatch", Fault::Channels},      {"outlier", Fault::Range},
    {"calibration_overfit", Fault::Range},    {"unused_range", Fault::Range},
    {"bias_overflow", Fault::Bias},           {"dead_channels", Fault::Dead}};

std::vector<std::string> stepsFor(Fault fault) {
  switch (fault) {
    case Fault::Channels:
      return {"equalize", "smooth", "split-channels", "clip", "round", "bias-correction"};
    case Fault::Rounding:
      return {"equalize", "clip", "round", "round-data-free", "bias-correction", "adaround"};
    case Fault::Range:
      return {"ranges", "bias-correction"};
    case Fault::Bias:
      return {"bias-overflow"};
    case Fault::Dead:
      return {"dead-channels"};
  }
  return {};
}

}  // namespace

std::vector<std::string> fittingSteps(const Finding& finding) {
  // The part may be the weights or one of the grids around them.
  if (finding.detector == "dominant_part") {
    return stepsFor(finding.aboutWeights ? Fault::Rounding : Fault::Range);
  }
  const auto* found = std::ranges::find(kEntries, finding.detector, &Entry::detector);
  return found == std::end(kEntries) ? std::vector<std::string>() : stepsFor(found->fault);
}

std::string wholeModelStep(const std::vector<std::string>& steps) {
  const auto found = std::ranges::find_if(steps, [](const std::string& name) {
    const RepairStep* step = findRepairStep(name);
    return step != nullptr && step->wholeModel;
  });
  return found == steps.end() ? std::string() : *found;
}

FittingRepair fittingRepair(const Finding& finding, const Engine& engine,
                            const QuantizedModel& model) {
  FittingRepair repair{fittingSteps(finding), {}};
  if (repair.steps.empty() || !wholeModelStep(repair.steps).empty()) return repair;
  std::vector<NodeId> nodes = finding.members;
  nodes.push_back(finding.node);
  repair.only = repairableLayers(engine, model, nodes);
  const bool needsBothEnds = std::ranges::any_of(repair.steps, [](const std::string& name) {
    const RepairStep* step = findRepairStep(name);
    return step != nullptr && step->scalesBetween;
  });
  if (needsBothEnds) repair.only = withOtherEnds(engine, model, repair.only);
  return repair;
}

}  // namespace quantscope
