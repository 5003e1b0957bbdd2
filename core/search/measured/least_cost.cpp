#include "search/measured/least_cost.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/cost/model_time.h"

namespace quantscope {
namespace {

using SearchedLayers = std::map<std::size_t, const SearchLayer*>;  // by layer of the start

SearchedLayers searchedLayers(const SearchSpace& space) {
  SearchedLayers searched;
  for (const SearchLayer& layer : space.layers) searched.emplace(layer.layer, &layer);
  return searched;
}

bool leavesWeights(const LayerOption& option) {
  return option.precision.float32 || !isQuantized(option.precision.weight.type);
}

// In float a layer may take less than its weights have elements: they may be computed.
WeightCost leastOfOptions(const SearchLayer& layer, const WeightCost& stored) {
  WeightCost least{.bits = std::numeric_limits<double>::infinity(),
                   .bytes = std::numeric_limits<double>::infinity()};
  for (const LayerOption& option : layer.options) {
    const bool leaves = leavesWeights(option);
    least.bits = std::min(least.bits, leaves ? std::min(option.bits, stored.bits) : option.bits);
    least.bytes =
        std::min(least.bytes, leaves ? std::min(option.bytes, stored.bytes) : option.bytes);
  }
  return least;
}

// Data movers run in the type of what they move.
double leastTimeInTable(const CostTable& costs, const std::string& node) {
  const auto times = costs.layers.find(node);
  if (times == costs.layers.end() || times->second.empty()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [type, time] : times->second) least = std::min(least, time.microseconds);
  return least;
}

}  // namespace

WeightCost leastWeightCost(const Engine& engine, const QuantizedModel& start,
                           const SearchSpace& space) {
  const SearchedLayers searched = searchedLayers(space);
  WeightCost sum;
  for (const std::vector<std::size_t>& layers : layersOfCommonWeights(engine, start)) {
    WeightCost most;
    for (const std::size_t place : layers) {
      const LayerQuantization& layer = start.layers[place];
      const auto known = searched.find(place);
      WeightCost own = known == searched.end() && layer.weight ? weightCost(engine, layer)
                                                               : storedCost(engine, layer);
      if (known != searched.end()) own = leastOfOptions(*known->second, own);
      most.bits = std::max(most.bits, own.bits);
      most.bytes = std::max(most.bytes, own.bytes);
    }
    sum.bits += most.bits;
    sum.bytes += most.bytes;
  }
  return sum;
}

double leastTime(const CostTable& costs, const Graph& graph, const QuantizedModel& start,
                 const SearchSpace& space) {
  const SearchedLayers searched = searchedLayers(space);
  double sum = 0;
  for (std::size_t place = 0; place < start.layers.size(); ++place) {
    const LayerQuantization& layer = start.layers[place];
    if (!space.leads.contains(layer.layer.lead())) continue;
    const std::string& node = graph[layer.layer.lead()].name;
    const auto known = searched.find(place);
    if (known != searched.end()) {
      double least = std::numeric_limits<double>::infinity();
      for (const LayerOption& option : known->second->options) {
        least = std::min(least, layerTime(costs, node, option.computes));
      }
      sum += least;
    } else {
      sum += layer.dataMover ? leastTimeInTable(costs, node)
                             : layerTime(costs, node, computedType(layer));
    }
  }
  return sum;
}

}  // namespace quantscope
