#include "detectors/ranges/shared_grid.h"

#include <algorithm>
#include <cmath>

#include "analysis/bad_layers.h"
#include "analysis/sensitivity/layer_part.h"
#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/changes/split_group.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"
#include "detectors/ranges/unused_range.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Half of the layer's error.
constexpr double kLeastGain = 3;
// Half of a bit: rounded to a grid of one's own, no less is lost.
constexpr double kNearlyAll = 0.7;

// The part of the grid that the values would need by themselves, 0 … 1.
double neededShare(const ActivationGrid& grid) {
  const Range all = grid.representable();
  Range own = grid.observation->range;
  own.include(0);
  if (widthOf(all) <= 0) return 1;
  if (grid.params->symmetric && all.low < 0 && all.high > 0) {
    return grid.observation->absmax() / std::max(std::abs(all.low), std::abs(all.high));
  }
  return std::min(1.0, widthOf(own) / widthOf(all));
}

double totalOf(const ErrorBudget& budget) {
  double sum = 0;
  for (const LayerPart part : kLayerParts) sum += errorOf(budget, part);
  return sum;
}

/// The member of a group that reaches farthest and belongs to another value; null if there is
/// none.
const QuantizationPoint* widestOther(const DetectorInput& input, const ActivationGrid& grid) {
  const QuantizationPoint* widest = nullptr;
  double reach = grid.observation->absmax();
  for (const std::size_t member : input.model.groups.members[grid.point->group]) {
    const QuantizationPoint& point = input.model.groups.points[member];
    const Observation* seen = observationOf(input, point.value);
    if (seen == nullptr || point.value == grid.point->value || seen->absmax() <= reach) continue;
    widest = &point;
    reach = seen->absmax();
  }
  return widest;
}

bool unites(const DetectorInput& input, NodeId node) {
  const std::string& op = input.graph()[node].op;
  return input.backend.shares(op) || input.backend.sharesInputs(op);
}

// The layers that put a value on a grid with others: those that read it, straight or by way of
// nodes that only move data, and the one that computes it.
std::vector<NodeId> unitingLayers(const DetectorInput& input, ValueId value) {
  std::vector<NodeId> found;
  const NodeId producer = input.graph()[value].producer;
  if (producer.valid() && unites(input, producer)) found.push_back(producer);
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId each = open.back();
    open.pop_back();
    for (const NodeId reader : input.graph()[each].consumers) {
      const Node& node = input.graph()[reader];
      if (isDataMover(input.graph(), node)) {
        open.insert(open.end(), node.outputs.begin(), node.outputs.end());
      } else if (unites(input, reader) && std::ranges::find(found, reader) == found.end()) {
        found.push_back(reader);
      }
    }
  }
  std::erase_if(found, [&](NodeId node) { return input.index.layerLedBy(node) == nullptr; });
  return found;
}

std::string why(const DetectorInput& input, const ActivationGrid& grid) {
  constexpr const char* kEnd =
      " The step between two codes follows from the grid's width, not from the values'.";
  if (grid.point->fixed) {
    return std::string("The backend has one grid for this operator, whatever its values are.") +
           kEnd;
  }
  if (grid.point->precision.range) return std::string("The range was set by hand.") + kEnd;
  const QuantizationPoint* other = widestOther(input, grid);
  if (other == nullptr) return std::string("The grid was not made for these values.") + kEnd;
  return "The grid is shared with '" + input.graph()[other->value].name + "' (" +
         spanText(observationOf(input, other->value)->range) + ")." + kEnd;
}

std::optional<Suggestion> suggestionOf(const DetectorInput& input, NodeId lead,
                                       const ActivationGrid& grid) {
  const QuantizationPoint& point = *grid.point;
  const std::string what = placeOf(input, grid);
  if (point.precision.range) return freeRange(input, point.value, point.consumer, what);
  if (std::optional<Suggestion> split = splitGroup(input, point, what)) return split;
  std::optional<Suggestion> wider = widenGroup(input, point.value, point.consumer, what);
  const bool runs = wider && !wider->changes.empty() && !wider->changes.front().float32;
  const std::vector<NodeId> uniting = unitingLayers(input, point.value);
  if (runs || uniting.empty() || point.fixed) return wider ? wider : keepFloat(input, lead);
  Suggestion apart{{}, {}, {}};
  for (const NodeId node : uniting) {
    const std::vector<ConfigChange> changes = floatChanges(input, node);
    apart.changes.insert(apart.changes.end(), changes.begin(), changes.end());
  }
  apart.text = "Leave '" + input.graph()[uniting.front()].name + "'" +
               (uniting.size() > 1 ? " and " + std::to_string(uniting.size() - 1) + " more" : "") +
               " in float, so that " + what + " gets a grid of its own.";
  return apart;
}

std::optional<Finding> judgeShared(const DetectorInput& input, std::size_t index,
                                   const ActivationGrid& grid) {
  const LayerResult& row = input.result.layers[index];
  if (!row.budget || ownDb(row) >= kBadLayerDb) return std::nullopt;
  const double needed = neededShare(grid);
  if (needed >= kNearlyAll || isHardlyUsed(input, grid)) return std::nullopt;
  const LayerPart part = grid.point->isOutput() ? LayerPart::Output : LayerPart::Input;
  const double error = errorOf(*row.budget, part);
  const double total = totalOf(*row.budget);
  const double gain = 10 * std::log10(total / (total - error * (1 - needed * needed)));
  if (!(gain >= kLeastGain)) return std::nullopt;
  const NodeId lead = input.model.layers[index].layer.lead();
  Finding finding = findingAt(input, "shared_grid", lead);
  finding.value = grid.point->value;
  finding.statistic = gain;
  finding.threshold = kLeastGain;
  finding.severity = ownDb(row) < kBadLayerDb / 2 ? Severity::Critical : Severity::Warning;
  finding.evidence = Evidence::Histogram;
  finding.text = "The grid for " + placeOf(input, grid) + " (" + spanText(grid.representable()) +
                 ") is made for wider values than it gets (" + spanText(grid.observation->range) +
                 "): they use " + briefPercent(needed) + " of it, which makes " +
                 briefPercent(error / total) + " of the layer's error (" + briefNumber(ownDb(row)) +
                 " dB).";
  finding.why = why(input, grid);
  finding.suggestion = suggestionOf(input, lead, grid);
  return finding;
}

}  // namespace

std::vector<Finding> findSharedGrids(const DetectorInput& input) {
  return worstOfEachLayer(input, [&](std::size_t index, const ActivationGrid& grid) {
    return judgeShared(input, index, grid);
  });
}

}  // namespace quantscope
