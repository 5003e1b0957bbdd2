#include "detectors/numbers/accumulator_overflow.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/number_text.h"
#include "detectors/detector_layers.h"
#include "engine/channels_along.h"
#include "graph/operator_traits.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

/// Sums over the weights of one output channel, as codes without their zero point.
struct ChannelSum {
  double positive = 0;
  double negative = 0;  ///< as a magnitude
};

/// Codes of the input without their zero point, 0 among them (padding): from −below to above.
struct CodeReach {
  double below = 0;
  double above = 0;
};

double largest(const ChannelSum& sum, const CodeReach& reach) {
  return std::max(sum.positive * reach.above + sum.negative * reach.below,
                  sum.positive * reach.below + sum.negative * reach.above);
}

/// Per output channel, the largest sum that is possible, that the observed range allows, and that
/// was reached.
struct Sums {
  std::vector<double> possible;
  std::vector<double> observed;
  std::vector<double> reached;
};

const Tensor* appliedConstant(const DetectorInput& input, NodeId node, std::size_t slot) {
  for (const auto& [place, tensor] : input.model.applied[node].constants) {
    if (place == slot) return &tensor;
  }
  return nullptr;
}

const Tensor* appliedBias(const DetectorInput& input, const FusedLayer& layer) {
  const std::optional<InputPlace> place = biasPlace(input.engine, layer);
  return place ? appliedConstant(input, place->node, place->slot) : nullptr;
}

bool canBeChecked(const DetectorInput& input, const LayerQuantization& layer) {
  if (!layer.quantized || !layer.weight || !layer.activation) return false;
  const QuantParams& weight = *layer.weight;
  const QuantParams& data = *layer.activation;
  if (!isInteger(weight.type) || !isInteger(data.type)) return false;
  if (weight.groupSize > 0 || data.perChannel()) return false;
  const Node& node = input.graph()[layer.layer.lead()];
  const std::size_t slot = *weightInput(input.engine, node);
  const Tensor* tensor = appliedConstant(input, layer.layer.lead(), slot);
  if (tensor == nullptr) return false;
  if (operatorTraits(node).takesStacks && tensor->shape().rank() != 2) return false;
  return !weight.perChannel() || weight.axis == outputChannelAxis(node, slot, tensor->shape());
}

/// Adds up the weights by output channel; of a grouped transposed convolution by group too.
std::vector<ChannelSum> sumWeights(const DetectorInput& input, const LayerQuantization& layer) {
  const Node& node = input.graph()[layer.layer.lead()];
  const std::size_t slot = *weightInput(input.engine, node);
  const Tensor weight = toLayout(*appliedConstant(input, layer.layer.lead(), slot), Layout::Plain);
  const Shape& shape = weight.shape();
  const auto axis = static_cast<std::size_t>(outputChannelAxis(node, slot, shape));
  const auto [outer, channels, inner] = channelsAlong(shape, axis);
  const std::size_t groups = outputChannelGroups(node, shape);
  const std::size_t outerPerGroup = std::max<std::size_t>(outer / groups, 1);
  std::vector<ChannelSum> sums(channels * groups);
  const float* value = weight.values<float>().data();
  for (std::size_t o = 0; o < outer; ++o) {
    const std::size_t group = std::min(o / outerPerGroup, groups - 1);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const Grids& grids = layer.weight->grids;
      const double scale = grids[grids.size() == 1 ? 0 : channel].scale;
      ChannelSum& sum = sums[group * channels + channel];
      for (std::size_t i = 0; i < inner; ++i) {
        const double code = std::nearbyint(*value++ / scale);
        (code > 0 ? sum.positive : sum.negative) += std::abs(code);
      }
    }
  }
  return sums;
}

/// s_x·s_w of an output channel; 0 where the input's scale is found as it runs.
double scaleOf(const LayerQuantization& layer, std::size_t channel) {
  if (layer.activation->grids.empty()) return 0;
  const Grids& grids = layer.weight->grids;
  const double weight = grids[grids.size() == 1 ? 0 : channel % grids.size()].scale;
  return layer.activation->grids.front().scale * weight;
}

/// The bias of an output channel; 0 without one.
double biasOf(const Tensor* bias, std::size_t channel) {
  if (bias == nullptr || bias->type() != ElementType::Float32) return 0;
  const std::span<const float> values = bias->values<float>();
  return values.size() == 1 ? values[0] : channel < values.size() ? values[channel] : 0;
}

/// All codes; found as it runs, an asymmetric range may lie on either side of 0.
std::vector<CodeReach> possibleReach(const QuantParams& data) {
  const double width = static_cast<double>(data.qmax) - data.qmin;
  if (data.grids.empty()) {
    if (data.symmetric) return {{std::ceil(width / 2), std::ceil(width / 2)}};
    return {{0, width}, {width, 0}};
  }
  const double zero = data.grids.front().zeroPoint;
  return {{std::max(0.0, zero - data.qmin), std::max(0.0, data.qmax - zero)}};
}

std::vector<CodeReach> observedReach(const DetectorInput& input, const LayerQuantization& layer) {
  std::vector<CodeReach> reaches = possibleReach(*layer.activation);
  const ValueId value = dataInput(input.engine, input.graph()[layer.layer.lead()]);
  if (layer.activation->grids.empty() || !value.valid() || !input.observations.observed(value)) {
    return reaches;
  }
  const Range& range = input.observations.find(value)->range;
  const double scale = layer.activation->grids.front().scale;
  CodeReach& reach = reaches.front();
  reach.below = std::min(reach.below, std::max(0.0, std::nearbyint(-range.low / scale)));
  reach.above = std::min(reach.above, std::max(0.0, std::nearbyint(range.high / scale)));
  return reaches;
}

double largest(const ChannelSum& sum, const std::vector<CodeReach>& reaches) {
  double most = 0;
  for (const CodeReach& reach : reaches) most = std::max(most, largest(sum, reach));
  return most;
}

/// The reached sums by channel, from the observed range of the sums less the bias; 0 for a channel
/// without an observation.
std::vector<double> reachedSums(const DetectorInput& input, const LayerQuantization& layer,
                                std::size_t channels) {
  std::vector<double> reached(channels);
  const ValueId value = input.graph()[sumNode(input.graph(), layer.layer)].outputs.at(0);
  const Observation* observation = value.valid() ? input.observations.find(value) : nullptr;
  if (observation == nullptr) return reached;
  const bool byChannel = observation->channels.size() == channels;
  if (!byChannel && channels > 1) return reached;
  const Tensor* bias = appliedBias(input, layer.layer);
  for (std::size_t c = 0; c < channels; ++c) {
    const Range& range = byChannel ? observation->channels[c] : observation->range;
    const double scale = scaleOf(layer, c);
    if (range.empty || scale <= 0) continue;
    const double offset = biasOf(bias, c);
    reached[c] = std::max(std::abs(range.low - offset), std::abs(range.high - offset)) / scale;
  }
  return reached;
}

Sums sumsOf(const DetectorInput& input, const LayerQuantization& layer) {
  const std::vector<ChannelSum> weights = sumWeights(input, layer);
  const std::vector<CodeReach> possible = possibleReach(*layer.activation);
  const std::vector<CodeReach> observed = observedReach(input, layer);
  Sums sums;
  for (const ChannelSum& sum : weights) {
    sums.possible.push_back(largest(sum, possible));
    sums.observed.push_back(largest(sum, observed));
  }
  sums.reached = reachedSums(input, layer, weights.size());
  // If all weights are nearly 0, the difference to the bias is mostly float rounding.
  for (std::size_t c = 0; c < weights.size(); ++c) {
    sums.reached[c] = std::min(sums.reached[c], sums.observed[c]);
  }
  return sums;
}

/// Weights of fewer codes, so that the possible sums fit; nullopt if one bit would be too many.
std::optional<Suggestion> suggestionFor(const DetectorInput& input, const Finding& finding,
                                        const LayerQuantization& layer, double factor) {
  const QuantParams& weight = *layer.weight;
  const auto highest = static_cast<std::int32_t>(std::floor(weight.qmax * factor));
  if (!weight.symmetric || !isSigned(weight.type) || highest < 1) {
    return Suggestion{"Choose a backend with wider accumulators, or narrower weights for '" +
                          finding.nodeName + "'.",
                      {},
                      {}};
  }
  TensorPrecision narrower = input.precision[finding.node].weight;
  narrower.highest = highest;
  narrower.lowest = -highest;
  return Suggestion{"Let the weights of '" + finding.nodeName + "' use codes from -" +
                        std::to_string(highest) + " to " + std::to_string(highest) +
                        " only, whose sums fit.",
                    {{finding.nodeName, narrower, {}, {}}},
                    {}};
}

/// True where no weights of their types could make a sum too large, so that they need not be read.
bool fitsAnyway(const LayerQuantization& layer, double limit) {
  const QuantParams& weight = *layer.weight;
  const QuantParams& data = *layer.activation;
  const double products = static_cast<double>(layer.weightElements);
  const double outputs = static_cast<double>(weight.grids.size());  // 1 where all share a scale
  return products / outputs * (static_cast<double>(weight.qmax) - weight.qmin) *
             (static_cast<double>(data.qmax) - data.qmin) <=
         limit;
}

struct Verdict {
  const std::vector<double>& sums;
  Severity severity;
  double confidence;
  const char* how;
};

std::optional<Finding> judge(const DetectorInput& input, const LayerQuantization& layer) {
  if (!canBeChecked(input, layer)) return std::nullopt;
  const int bits = input.backend.accumulatorBits;
  const double limit = std::ldexp(1.0, bits - 1) - 1;
  if (fitsAnyway(layer, limit)) return std::nullopt;
  const Sums sums = sumsOf(input, layer);
  const Verdict verdicts[] = {
      {sums.reached, Severity::Critical, 1, "reached"},
      {sums.observed, Severity::Warning, 0.6, "can reach, with inputs as observed,"},
      {sums.possible, Severity::Info, 0.3, "could reach, with the worst of all inputs,"}};
  for (const Verdict& verdict : verdicts) {
    const double most = std::ranges::max(verdict.sums);
    if (most <= limit) continue;
    Finding finding = findingAt(input, "accumulator_overflow", layer.layer.lead());
    finding.value = outputOf(input.graph(), layer.layer);
    for (std::size_t c = 0; c < verdict.sums.size(); ++c) {
      if (verdict.sums[c] > limit) finding.channels.push_back(static_cast<std::int64_t>(c));
    }
    finding.statistic = most;
    finding.threshold = limit;
    finding.severity = verdict.severity;
    finding.confidence = verdict.confidence;
    char text[160];
    std::snprintf(text, sizeof text, "' %s %s times what an accumulator of %d bits holds.",
                  verdict.how, briefNumber(most / limit).c_str(), bits);
    finding.text = "Sums in '" + finding.nodeName + text;
    finding.why =
        "The products of weight and input codes are added up as integers; beyond the last one the "
        "sum starts over at the other end, and the result has nothing to do with the true one.";
    finding.suggestion = suggestionFor(input, finding, layer,
                                       limit / std::max(most, std::ranges::max(sums.possible)));
    return finding;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> findAccumulatorOverflow(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const LayerQuantization& layer : input.model.layers) {
    const Node& node = input.graph()[layer.layer.lead()];
    if (operatorTraits(node).inputChannelAxis == nullptr) continue;
    if (!weightInput(input.engine, node)) continue;
    if (std::optional<Finding> finding = judge(input, layer)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
