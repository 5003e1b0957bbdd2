#include "widgets/charts/weight_statistics.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/channels_along.h"
#include "graph/operator_traits.h"
#include "kernels/statistics/min_max.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/observer_groups.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kBins = 96;
// Below this a channel is no outlier among its neighbours.
constexpr double kDominates = 4;

QString weightText(const char* words) {
  return QCoreApplication::translate("WeightWords", words);
}

struct Weights {
  Tensor reference;  // float32, folded
  Tensor quantized;  // undefined where the weights stay as they are
  bool folded = false;
};

Weights findWeights(const AnalysisSnapshot& snapshot, const LayerQuantization& layer,
                    std::size_t input) {
  const Engine& engine = *snapshot.model.engine;
  const Graph& graph = snapshot.graph();
  const NodeId lead = layer.layer.lead();
  Weights weights;
  weights.folded = layer.quantized && input == 1 && normalizationOf(graph, layer.layer).valid();
  weights.reference = weights.folded ? foldLayer(engine, layer.layer, input).weight
                                     : toFloat32(*engine.constant(graph[lead].inputs[input]));
  if (!layer.weight) return weights;
  for (const auto& [place, tensor] : snapshot.quantized->applied[lead].constants) {
    if (place == input) weights.quantized = tensor;
  }
  return weights;
}

std::vector<double> countsOf(const Tensor& tensor, double low, double high) {
  std::vector<double> counts(kBins);
  const double perUnit = static_cast<double>(kBins) / (high - low);
  for (const float value : tensor.values<float>()) {
    if (!std::isfinite(value)) continue;
    const double bin = (static_cast<double>(value) - low) * perUnit;
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(kBins - 1)))];
  }
  return counts;
}

HistogramData histogramOf(const Weights& weights, const MinMax& range,
                          const std::optional<QuantParams>& params) {
  HistogramData data;
  data.low = static_cast<double>(range.min);
  data.high = static_cast<double>(range.max);
  if (!(data.low < data.high)) return {};
  data.reference = countsOf(weights.reference, data.low, data.high);
  if (!params) return data;
  data.type = params->type;
  if (weights.quantized.defined()) {
    data.quantized = countsOf(weights.quantized, data.low, data.high);
  }
  if (params->grids.size() == 1) {
    const Range grid = params->representable(params->grids.front());
    data.gridLow = static_cast<double>(grid.low);
    data.gridHigh = static_cast<double>(grid.high);
    data.step = static_cast<double>(params->grids.front().scale);
  }
  return data;
}

std::vector<double> channelReach(const Tensor& weights, int axis) {
  const Shape& shape = weights.shape();
  const auto place = static_cast<std::size_t>(axis);
  if (axis < 0 || place >= shape.rank()) return {};
  const ChannelLayout layout = channelsAlong(shape, place);
  std::vector<MinMax> extremes(layout.channels);
  minMaxPerChannel(weights.values<float>(), layout, extremes);
  std::vector<double> reach;
  for (const MinMax& channel : extremes) {
    const float largest =
        channel.empty() ? 0.0F : std::max(std::abs(channel.min), std::abs(channel.max));
    reach.push_back(static_cast<double>(largest));
  }
  return reach;
}

std::optional<std::size_t> inputOf(const AnalysisSnapshot& snapshot, std::size_t layer) {
  if (!snapshot.quantized || layer >= snapshot.quantized->layers.size()) return std::nullopt;
  const NodeId lead = snapshot.quantized->layers[layer].layer.lead();
  return weightInput(*snapshot.model.engine, snapshot.graph()[lead]);
}

WeightStatistics described(const AnalysisSnapshot& snapshot, std::size_t index, std::size_t input,
                           const Weights& weights) {
  const LayerQuantization& layer = snapshot.quantized->layers[index];
  const Node& lead = snapshot.graph()[layer.layer.lead()];
  const Tensor& stored = *snapshot.model.engine->constant(lead.inputs[input]);
  WeightStatistics result;
  result.name = snapshot.graph()[lead.inputs[input]].name;
  result.type = name(stored.type());
  result.shape = stored.shape();
  result.folded = weights.folded;
  result.params = layer.weight;
  result.channelAxis = outputChannelAxis(lead, input, stored.shape());
  result.channelReach = channelReach(weights.reference, result.channelAxis);
  return result;
}

QString scaleWords(const QuantParams& params) {
  const auto [low, high] = std::ranges::minmax(params.grids, {}, &Grid::scale);
  if (params.grids.size() == 1) {
    return weightText("One scale for the whole tensor: %1").arg(shortText(low.scale));
  }
  const QString what = params.groupSize > 0
                           ? weightText("%1 scales, one per group of %2 along axis %3")
                                 .arg(params.grids.size())
                                 .arg(params.groupSize)
                                 .arg(params.axis)
                           : weightText("%1 scales, one per channel of axis %2")
                                 .arg(params.grids.size())
                                 .arg(params.axis);
  return weightText("%1: from %2 to %3").arg(what, shortText(low.scale), shortText(high.scale));
}

}  // namespace

const Tensor* weightOf(const AnalysisSnapshot& snapshot, std::size_t layer) {
  const std::optional<std::size_t> input = inputOf(snapshot, layer);
  if (!input) return nullptr;
  const NodeId lead = snapshot.quantized->layers[layer].layer.lead();
  return snapshot.model.engine->constant(snapshot.graph()[lead].inputs[*input]);
}

WeightStatistics measureReach(const AnalysisSnapshot& snapshot, std::size_t index) {
  const std::size_t input = *inputOf(snapshot, index);
  return described(snapshot, index, input,
                   findWeights(snapshot, snapshot.quantized->layers[index], input));
}

WeightStatistics measureWeights(const AnalysisSnapshot& snapshot, std::size_t index) {
  const std::size_t input = *inputOf(snapshot, index);
  const LayerQuantization& layer = snapshot.quantized->layers[index];
  const Weights weights = findWeights(snapshot, layer, input);
  WeightStatistics result = described(snapshot, index, input, weights);
  result.count = weights.reference.elementCount();
  const MinMax range = minMax(weights.reference.values<float>());
  if (!range.empty()) {
    result.min = static_cast<double>(range.min);
    result.max = static_cast<double>(range.max);
    result.histogram = histogramOf(weights, range, layer.weight);
  }
  return result;
}

bool perTensorDominated(const WeightStatistics& weights) {
  const std::optional<DominatingChannel> found = dominatingChannel(weights);
  return found && found->ratio >= kDominates && weights.params && weights.params->grids.size() == 1;
}

std::optional<DominatingChannel> dominatingChannel(const WeightStatistics& weights) {
  if (weights.channelReach.size() < 2) return std::nullopt;
  const auto largest = std::ranges::max_element(weights.channelReach);
  std::vector<double> sorted = weights.channelReach;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  DominatingChannel found;
  found.channel = static_cast<int>(largest - weights.channelReach.begin());
  found.reach = *largest;
  found.medianReach = *middle;
  if (!(found.medianReach > 0)) return std::nullopt;
  found.ratio = found.reach / found.medianReach;
  return found;
}

QString gridWords(const WeightStatistics& weights) {
  if (!weights.params) return weightText("The weights stay float.");
  const QuantParams& params = *weights.params;
  QString zero = weightText("zero point 0");
  const auto [low, high] = std::ranges::minmax(params.grids, {}, &Grid::zeroPoint);
  if (low.zeroPoint != high.zeroPoint) {
    zero = weightText("zero points from %1 to %2").arg(low.zeroPoint).arg(high.zeroPoint);
  } else if (low.zeroPoint != 0) {
    zero = weightText("zero point %1").arg(low.zeroPoint);
  }
  return weightText("%1, %2.").arg(scaleWords(params), zero);
}

QString dominanceWords(const WeightStatistics& weights) {
  const std::optional<DominatingChannel> found = dominatingChannel(weights);
  if (!found) return {};
  const bool perTensor = weights.params && weights.params->grids.size() == 1;
  const QString reaches = weightText("Channel %1 reaches %2 while the median channel reaches %3")
                              .arg(found->channel)
                              .arg(shortText(found->reach), shortText(found->medianReach));
  if (found->ratio < kDominates) {
    return perTensor
               ? weightText(
                     "No channel dominates: the largest reaches %1 times as far as the median "
                     "one.")
                     .arg(shortText(found->ratio))
               : QString();
  }
  if (perTensor) {
    return weightText(
               "%1: steps of one scale for the whole tensor are %2 times too coarse for that.")
        .arg(reaches, shortText(found->ratio));
  }
  return weights.params && weights.params->perChannel() && weights.params->groupSize == 0
             ? weightText("%1; as each channel has its own scale, no harm is done.").arg(reaches)
             : reaches + u'.';
}

}  // namespace quantscope
