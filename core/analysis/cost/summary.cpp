#include "analysis/cost/summary.h"

#include <array>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "analysis/cost/weight_cost.h"
#include "graph/parameters.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr double kFloatBytes = 4;

struct Bytes {
  double inFloat = 0;
  double stored = 0;
};

// All parameters, each counted once.
Bytes bytesOf(const Engine& engine, const QuantizedModel& model) {
  const std::set<ValueId> sources = weightSources(engine, model);
  const std::vector<bool> parameters = findParameters(engine.graph());
  Bytes bytes{.inFloat = 0, .stored = allWeightsCost(engine, model).bytes};
  const std::span<const Value> values = engine.graph().values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Tensor& constant = values[i].constant;
    if (!constant.defined() || !parameters[i]) continue;
    bytes.inFloat += static_cast<double>(constant.elementCount()) * kFloatBytes;
    if (!sources.contains(ValueId(i))) bytes.stored += storedBytes(constant);
  }
  return bytes;
}

std::string typeName(const LayerQuantization& layer) {
  if (!layer.quantized) return std::string(name(QuantType::Float32));
  if (layer.weight) return std::string(name(layer.weight->type));
  const std::optional<QuantParams>& edge = layer.activation ? layer.activation : layer.output;
  return std::string(name(edge ? edge->type : QuantType::Float32));
}

bool hasAtMost8Bits(const std::optional<QuantParams>& params) {
  return params && bitWidth(params->type) <= 8;
}

// Both factors of the layer's products are quantized, to 8 bits or fewer.
bool multipliesIn8Bits(const QuantizedModel& model, const LayerQuantization& layer) {
  std::array<bool, 2> narrow{};
  for (const WeightParams& weight : layer.weights) {
    if (weight.input < narrow.size()) narrow[weight.input] = hasAtMost8Bits(weight.params);
  }
  for (const std::size_t edge : layer.edges) {
    const std::size_t input = model.groups.points[edge].input;
    if (input < narrow.size()) narrow[input] = hasAtMost8Bits(paramsOf(model, edge));
  }
  return layer.quantized && narrow[0] && narrow[1];
}

std::optional<double> shareOfMacsAbove8Bits(const QuantizedModel& model,
                                            const Observations& observations) {
  double all = 0;
  double above = 0;
  for (const LayerQuantization& layer : model.layers) {
    const double count = observations.productsOf(layer.layer.lead());
    all += count;
    if (!multipliesIn8Bits(model, layer)) above += count;
  }
  return all > 0 ? std::optional(above / all) : std::nullopt;
}

}  // namespace

QuantizationSummary summarize(const Engine& engine, const QuantizedModel& model,
                              const Observations& observations) {
  QuantizationSummary summary;
  std::map<std::string, std::size_t> layersByType;
  double compression = 0;
  std::size_t weights = 0;
  for (const LayerQuantization& layer : model.layers) {
    ++layersByType[typeName(layer)];
    summary.quantizedLayers += layer.quantized ? 1 : 0;
    if (!layer.weight) continue;
    compression += 32.0 / bitWidth(layer.weight->type);
    ++weights;
  }
  summary.nodesByType.assign(layersByType.begin(), layersByType.end());
  const Bytes bytes = bytesOf(engine, model);
  summary.floatBytes = static_cast<std::size_t>(bytes.inFloat);
  summary.quantizedBytes = static_cast<std::size_t>(bytes.stored);
  summary.memorySavedBytes = bytes.inFloat - bytes.stored;
  if (bytes.inFloat > 0) {
    summary.memorySavedPercent = 100 * summary.memorySavedBytes / bytes.inFloat;
  }
  if (weights > 0) summary.meanCompression = compression / static_cast<double>(weights);
  if (summary.quantizedBytes > 0) {
    summary.trueCompression = bytes.inFloat / static_cast<double>(summary.quantizedBytes);
  }
  summary.calibrationSamples = observations.samples();
  summary.macsAbove8Bits = shareOfMacsAbove8Bits(model, observations);
  return summary;
}

}  // namespace quantscope
