#include "analysis/cost/weight_cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "graph/parameters.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/union_find.h"

namespace quantscope {
namespace {

constexpr double kFloatBits = 32;
constexpr double kBytesOfScale = 4;
constexpr double kBitsInByte = 8;

using Sources = std::set<ValueId>;

// Floats, and codes of 8 and 16 bits with their zero points.
bool isStored(const Tensor& constant) {
  const ElementType type = constant.type();
  return isFloat(type) || type == ElementType::Int8 || type == ElementType::UInt8 ||
         type == ElementType::Int16 || type == ElementType::UInt16;
}

void addSources(const Engine& engine, ValueId value, Sources& sources) {
  const Value& read = engine.graph()[value];
  if (read.constant.defined()) {
    if (isStored(read.constant)) sources.insert(value);
    return;
  }
  if (!read.producer.valid()) return;
  for (const ValueId input : engine.graph()[read.producer].inputs) {
    if (input.valid() && engine.constant(input) != nullptr) addSources(engine, input, sources);
  }
}

std::vector<ValueId> weightsOf(const Engine& engine, const LayerQuantization& layer) {
  const Node& node = engine.graph()[layer.layer.lead()];
  std::vector<ValueId> weights;
  for (const std::size_t slot : weightInputs(engine, node)) weights.push_back(node.inputs[slot]);
  return weights;
}

Sources sourcesOf(const Engine& engine, const LayerQuantization& layer) {
  Sources sources;
  for (const ValueId weight : weightsOf(engine, layer)) addSources(engine, weight, sources);
  return sources;
}

// Scales and zero points take bytes, but no bits of weights.
WeightCost costAsStored(const Engine& engine, const Sources& sources) {
  const std::vector<bool> parameters = findParameters(engine.graph());
  WeightCost cost;
  for (const ValueId source : sources) {
    const Tensor& constant = *engine.constant(source);
    const double bytes = storedBytes(constant);
    cost.bytes += bytes;
    if (!parameters[source.at()]) continue;
    cost.bits += bytes * kBitsInByte;
    cost.elements += static_cast<double>(constant.elementCount());
  }
  return cost;
}

bool holdsCodes(const Engine& engine, const Sources& sources) {
  return std::ranges::any_of(
      sources, [&](ValueId source) { return !isFloat(engine.constant(source)->type()); });
}

bool sameValues(const Engine& engine, ValueId one, ValueId other) {
  if (one == other) return true;
  const Tensor& a = *engine.constant(one);
  const Tensor& b = *engine.constant(other);
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::equal(a.bytes(), a.bytes() + a.byteSize(), b.bytes());
}

// True if two layers read the same weights in the same form: branches may compute them from the
// same initializers, each for itself.
bool sameWeights(const Engine& engine, const LayerQuantization& one,
                 const LayerQuantization& other) {
  return std::ranges::equal(one.weights, other.weights, {}, &WeightParams::params,
                            &WeightParams::params) &&
         std::ranges::equal(weightsOf(engine, one), weightsOf(engine, other),
                            [&](ValueId a, ValueId b) { return sameValues(engine, a, b); });
}

}  // namespace

double storedBytes(const Tensor& constant) {
  return isFloat(constant.type())
             ? static_cast<double>(constant.elementCount()) * kFloatBits / kBitsInByte
             : static_cast<double>(constant.byteSize());
}

std::set<ValueId> weightSources(const Engine& engine, const QuantizedModel& model) {
  Sources sources;
  for (const LayerQuantization& layer : model.layers) sources.merge(sourcesOf(engine, layer));
  return sources;
}

WeightCost weightCost(const Engine& engine, const LayerQuantization& layer) {
  const Node& node = engine.graph()[layer.layer.lead()];
  WeightCost cost;
  for (const std::size_t slot : weightInputs(engine, node)) {
    cost.elements += static_cast<double>(engine.constant(node.inputs[slot])->elementCount());
  }
  if (!layer.weight) {
    cost.bits = cost.elements * kFloatBits;
    cost.bytes = cost.bits / kBitsInByte;
    // What it reads may be codes of another tool.
    const Sources sources = sourcesOf(engine, layer);
    if (!holdsCodes(engine, sources)) return cost;
    const WeightCost stored = costAsStored(engine, sources);
    cost.bits = stored.bits;
    cost.bytes = stored.bytes;
    return cost;
  }
  const QuantParams& weight = *layer.weight;
  const double codeBytes = bitWidth(weight.type) / kBitsInByte;
  const double perGrid =
      (hasScale(weight.type) ? kBytesOfScale : 0) + (weight.symmetric ? 0 : codeBytes);
  cost.bits = cost.elements * bitWidth(weight.type);
  cost.bytes = cost.elements * codeBytes;
  for (const WeightParams& each : layer.weights) {
    cost.bytes += static_cast<double>(each.params.grids.size()) * perGrid;
  }
  return cost;
}

WeightCost allWeightsCost(const Engine& engine, const QuantizedModel& model) {
  std::map<Sources, std::vector<const LayerQuantization*>> stored;
  Sources all;
  Sources inFloat;
  double computed = 0;  // elements that come from no parameter
  WeightCost cost;
  for (const LayerQuantization& layer : model.layers) {
    const Sources sources = sourcesOf(engine, layer);
    all.insert(sources.begin(), sources.end());
    if (!layer.weight) {
      inFloat.insert(sources.begin(), sources.end());
      continue;
    }
    std::vector<const LayerQuantization*>& known = stored[sources];
    const auto same = [&](const LayerQuantization* other) {
      return sameWeights(engine, *other, layer);
    };
    if (std::ranges::any_of(known, same)) continue;
    const WeightCost own = weightCost(engine, layer);
    cost.bits += own.bits;
    cost.bytes += own.bytes;
    if (sources.empty()) computed += own.elements;
    known.push_back(&layer);
  }
  cost.elements = costAsStored(engine, all).elements + computed;
  const WeightCost left = costAsStored(engine, inFloat);
  cost.bits += left.bits;
  cost.bytes += left.bytes;
  return cost;
}

WeightCost storedCost(const Engine& engine, const LayerQuantization& layer) {
  return costAsStored(engine, sourcesOf(engine, layer));
}

std::vector<std::vector<std::size_t>> layersOfCommonWeights(const Engine& engine,
                                                            const QuantizedModel& model) {
  UnionFind sets(model.layers.size());
  std::map<ValueId, std::size_t> readers;  // by source: its first one
  std::vector<bool> reads(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const ValueId source : sourcesOf(engine, model.layers[i])) {
      sets.unite(readers.emplace(source, i).first->second, i);
      reads[i] = true;
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i]) members[sets.find(i)].push_back(i);
  }
  std::vector<std::vector<std::size_t>> common;
  for (auto& [set, layers] : members) common.push_back(std::move(layers));
  return common;
}

}  // namespace quantscope
