#include "repair/scales/constant_shifts.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

bool padsZeros(const Engine& engine, const LinearLayer& layer) {
  if (!layer.window) return false;
  // Between its inputs lie zeros.
  if (layer.transposed) return true;
  const Node& node = engine.graph()[layer.lead];
  const Shape weight = weightOf(engine, layer).shape();
  const bool isPoint = weight.elementCount(2, weight.rank()) == 1;
  const std::string pads = node.text("auto_pad", "NOTSET");
  if (pads == "SAME_UPPER" || pads == "SAME_LOWER") return !isPoint;
  return std::ranges::any_of(node.integers("pads"), [](std::int64_t pad) { return pad != 0; });
}

enum class Shifts { None, Any, NotBelowZero };

// The shifts that may be subtracted before the operators between and added behind them.
Shifts legalShifts(const Engine& engine, const ScaleRegion& region) {
  Shifts legal = Shifts::Any;
  for (const NodeId id : region.between) {
    const OperatorTraits& traits = operatorTraits(engine.graph()[id]);
    // A normalization inside of a region is one that passes its input on.
    if (traits.keepsShifts || traits.foldsIntoWeights || traits.addsBias) continue;
    if (!traits.rectifies && !traits.clips) return Shifts::None;
    legal = Shifts::NotBelowZero;
  }
  return legal;
}

// The layer's sums with its bias. A normalization that is folded into them passes them on, but was
// observed before that: only what is behind it had its values then.
const Observation* sumsOf(const RepairState& state, const LinearLayer& layer,
                          const ScaleRegion& region) {
  const Graph& graph = state.engine->graph();
  ValueId sums = graph[layer.bias->node].outputs.at(0);
  const auto isNormalization = [&](NodeId node) {
    return operatorTraits(graph[node]).foldsIntoWeights &&
           std::ranges::find(region.between, node) != region.between.end();
  };
  while (graph[sums].consumers.size() == 1 && isNormalization(graph[sums].consumers.front())) {
    sums = graph[graph[sums].consumers.front()].outputs.at(0);
  }
  return state.observations->find(sums);
}

bool reachesCeiling(const RepairState& state, const ScaleRegion& region) {
  if (region.clips.empty()) return false;
  const std::vector<double> absmax = observedBehindClips(*state.observations, region);
  return std::ranges::any_of(absmax, [&](double most) { return most >= region.ceiling; });
}

}  // namespace

bool readersTakeShifts(const Engine& engine, const std::vector<LinearLayer>& layers,
                       const ScaleRegion& region) {
  return region.reading.empty() &&
         std::ranges::all_of(region.readers, [&](const ScaleRegion::Reader& reader) {
           const LinearLayer& layer = layers[reader.layer];
           return layer.bias.has_value() && !padsZeros(engine, layer);
         });
}

void addToReaders(ScaledLayers& scaled, const std::vector<LinearLayer>& layers,
                  const ScaleRegion& region, const std::vector<double>& shifts) {
  for (const ScaleRegion::Reader& reader : region.readers) {
    std::vector<double>& bias = scaled.changedBias(reader.layer);
    const std::vector<double>& weight = scaled.weight(reader.layer);
    const std::size_t channels = reader.channels.size();
    for (std::size_t i = 0; i < channels; ++i) {
      const double shift = shifts[reader.channels[i]];
      if (shift == 0) continue;
      forReading(layers[reader.layer], channels, i,
                 [&](std::size_t o, std::size_t element) { bias[o] += weight[element] * shift; });
    }
  }
}

std::vector<double> absorbableShifts(const RepairState& state,
                                     const std::vector<LinearLayer>& layers,
                                     const ScaleRegion& region) {
  std::vector<double> shifts(region.channels, 0.0);
  if (region.makers.size() != 1 || !region.making.empty()) return shifts;
  const ScaleRegion::Maker& maker = region.makers.front();
  const Shifts legal = legalShifts(*state.engine, region);
  if (legal == Shifts::None || !layers[maker.layer].bias ||
      !readersTakeShifts(*state.engine, layers, region) || reachesCeiling(state, region)) {
    return shifts;
  }
  const Observation* sums = sumsOf(state, layers[maker.layer], region);
  if (sums == nullptr || sums->channels.size() != maker.channels.size()) return shifts;
  for (std::size_t o = 0; o < maker.channels.size(); ++o) {
    const Range& range = sums->channels[o];
    if (range.empty || region.fixed[maker.channels[o]]) continue;
    shifts[maker.channels[o]] = legal == Shifts::Any
                                    ? (double{range.low} + range.high) / 2
                                    : std::max(0.0, static_cast<double>(range.low));
  }
  return shifts;
}

void absorb(ScaledLayers& scaled, const std::vector<LinearLayer>& layers, const ScaleRegion& region,
            const std::vector<double>& shifts) {
  if (std::ranges::all_of(shifts, [](double shift) { return shift == 0; })) return;
  for (const ScaleRegion::Maker& maker : region.makers) {
    std::vector<double> own;
    for (const std::uint32_t channel : maker.channels) own.push_back(shifts[channel]);
    scaled.shiftOutputs(maker.layer, own);
  }
  addToReaders(scaled, layers, region, shifts);
}

}  // namespace quantscope
