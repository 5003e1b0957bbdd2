#include "repair/repair_state.h"

#include <algorithm>
#include <cmath>

#include "calibration/calibrate.h"
#include "repair/linear_layers.h"

namespace quantscope {
namespace {

void carryOn(std::map<NodeId, NormalStatistics>& statistics, const Overlay& overlay) {
  for (const auto& [lead, each] : overlay.statistics) statistics[lead] = each;
  for (const ScaledOutputs& scaled : overlay.scaled) {
    const auto found = statistics.find(scaled.lead);
    if (found == statistics.end()) continue;
    NormalStatistics& each = found->second;
    if (each.mean.size() != scaled.factors.size()) {
      statistics.erase(found);
      continue;
    }
    for (std::size_t c = 0; c < each.mean.size(); ++c) {
      each.mean[c] = each.mean[c] / scaled.factors[c] - scaled.shifts[c];
      each.deviation[c] /= scaled.factors[c];
    }
  }
}

// With 0, which grids contain.
float extentWithZero(const Range& range) {
  return std::max(range.high, 0.0F) - std::min(range.low, 0.0F);
}

bool sameRange(const Observation* before, const Observation* after) {
  if (before == nullptr || after == nullptr) return before == after;
  // Sums in another order differ by a share of their largest terms, not of themselves.
  constexpr float kRounding = 1e-5F;
  const float most =
      kRounding * std::max(extentWithZero(before->range), extentWithZero(after->range));
  return std::abs(before->range.low - after->range.low) <= most &&
         std::abs(before->range.high - after->range.high) <= most;
}

// An encoding under the name of a value is that of the edges behind it.
bool isFixedPoint(const FixedGrids& fixed, const PointName& point) {
  if (fixed.points.contains(point)) return true;
  return point.isOutput() && std::ranges::any_of(fixed.points, [&](const PointName& each) {
           return each.producer == point.producer;
         });
}

// Biases make up for errors that the twin does not have. It has places for them all the same, so
// that nodes and values have the same ids in both.
Overlay placesOf(const Overlay& overlay) {
  Overlay places;
  for (const InsertedBias& each : overlay.biases) {
    Tensor zeros(ElementType::Float32, each.bias.shape());
    std::ranges::fill(zeros.mutableValues<float>(), 0.0F);
    places.biases.push_back({each.product, zeros});
  }
  return places;
}

// Biases that were fitted stay out of the twin: what an overlay makes of them, less what they had
// been moved by.
Overlay forTwin(const RepairState& state, const Overlay& overlay) {
  Overlay own = overlay;
  for (const LinearLayer& layer : findLinearLayers(*state.engine, *state.model).withShared()) {
    if (!layer.bias) continue;
    const auto change = std::ranges::find_if(own.constants, [&](const ChangedConstant& each) {
      return each.node == layer.bias->node && each.input == layer.bias->slot;
    });
    if (change == own.constants.end()) continue;
    const std::vector<double> fitted = biasOf(*state.engine, layer);
    const std::vector<double> given = biasOf(*state.twin, layer);
    if (fitted == given) continue;
    const auto scaled = std::ranges::find(overlay.scaled, layer.lead, &ScaledOutputs::lead);
    const ScaledOutputs* outputs = scaled == overlay.scaled.end() ? nullptr : &*scaled;
    Tensor bias(ElementType::Float32, change->tensor.shape());
    for (std::size_t i = 0; i < bias.elementCount(); ++i) {
      const bool parted = outputs != nullptr && !outputs->from.empty();
      const std::size_t before = parted ? static_cast<std::size_t>(outputs->from[i]) : i;
      const double factor = outputs == nullptr ? 1 : outputs->factors[i];
      bias.mutableValues<float>()[i] = static_cast<float>(
          change->tensor.values<float>()[i] + (given[before] - fitted[before]) / factor);
    }
    change->tensor = bias;
  }
  return own;
}

void renamePoints(FixedGrids& fixed, const Graph& graph, const Overlay& overlay) {
  for (const InsertedBias& each : overlay.biases) {
    std::set<PointName> points;
    for (const PointName& point : fixed.points) {
      points.insert(namedByBias(graph, each.product, point));
    }
    fixed.points = std::move(points);
  }
}

// Grids that repairs have fixed for other values than those that a later one has made of them.
void forgetMoved(Configuration& config, const FixedGrids& fixed, const Graph& graph,
                 const Observations& before, const Observations& after) {
  Encodings kept = *config.encodings;
  std::erase_if(kept.entries, [&](const auto& entry) {
    if (isFixedPoint(fixed, entry.first)) return false;
    const NodeId node = graph.findNode(entry.first.producer);
    const bool made = node.valid() && !graph[node].outputs.empty();
    const ValueId value =
        made ? graph[node].outputs.front() : graph.findValue(entry.first.producer);
    return value.valid() && graph.constant(value) == nullptr &&
           !sameRange(before.find(value), after.find(value));
  });
  if (kept != *config.encodings) config.encodings = SharedPart<Encodings>(kept);
}

}  // namespace

RepairState withOverlay(const RepairState& state, const Overlay& overlay, OverlayEffect effect,
                        RepairTools& tools) {
  const Workers& workers = tools.job.workers();
  RepairState next = state;
  const bool apart = state.engine != state.twin;
  next.engine = applyOverlay(*state.engine, overlay, workers);
  if (effect != OverlayEffect::Fitted) {
    next.twin = apart ? applyOverlay(*state.twin, forTwin(state, overlay), workers) : next.engine;
  } else if (!overlay.biases.empty()) {
    next.twin = applyOverlay(*state.twin, placesOf(overlay), workers);
  }
  renamePoints(next.fixed, next.engine->graph(), overlay);
  if (effect == OverlayEffect::SameOutputs) {
    next.observations = std::make_shared<const Observations>(
        calibrate(*next.twin, tools.calibration, tools.settings, tools.job));
  }
  carryOn(next.statistics, overlay);
  next.config = state.config;
  if (effect == OverlayEffect::SameOutputs) {
    forgetMoved(next.config, state.fixed, state.engine->graph(), *state.observations,
                *next.observations);
  }
  next.config = withOverlay(next.config, next.engine->graph(), overlay);
  next.model = quantizeModel(*next.engine, next.config, *next.observations, tools.memory.parameters,
                             &tools.job);
  return next;
}

}  // namespace quantscope
