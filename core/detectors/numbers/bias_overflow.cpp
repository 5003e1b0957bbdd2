#include "detectors/numbers/bias_overflow.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

constexpr double kCodes = 2147483648;  // 2^31
constexpr double kMuch = 0.01;

/// Bias elements that do not fit.
struct Overflow {
  std::vector<std::int64_t> channels;
  double worst = 0;  ///< of |b| / step / 2^31
  double lost = 0;   ///< by how much a channel's output is wrong, at most
};

// The output of a channel that overflows is almost only its bias: a sum of products would need 2^31
// / (127 · 255) elements to match it. Differences beyond the output's range, such as of a negative
// bias before a ReLU, do not matter.
double changeOfOutput(const Observation* output, double bias, double kept) {
  if (output == nullptr) return std::abs(bias - kept);
  const double low = std::min(0.0F, output->range.low);
  const double high = std::max(0.0F, output->range.high);
  return std::abs(std::clamp(bias, low, high) - std::clamp(kept, low, high));
}

Overflow overflowOf(const DetectorInput& input, const LayerQuantization& layer) {
  Overflow result;
  const Tensor bias = foldedBias(input.engine, layer.layer);
  if (!bias.defined() || !layer.activation || !layer.weight) return result;
  const Grids& weights = layer.weight->grids;
  const double inputScale = layer.activation->grids.front().scale;
  const Observation* output = observationOf(input, outputOf(input.graph(), layer.layer));
  const auto values = bias.values<float>();
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double step = inputScale * weights[weights.size() == 1 ? 0 : c].scale;
    const double share = std::abs(values[c]) / (step * kCodes);
    if (share <= 1) continue;
    result.channels.push_back(static_cast<std::int64_t>(c));
    result.worst = std::max(result.worst, share);
    const double kept = std::copysign(step * kCodes, values[c]);
    result.lost = std::max(result.lost, changeOfOutput(output, values[c], kept));
  }
  return result;
}

Severity severityOf(const DetectorInput& input, const LayerQuantization& layer, double lost) {
  const Observation* output = observationOf(input, outputOf(input.graph(), layer.layer));
  if (output != nullptr && lost >= kMuch * widthOf(output->range)) return Severity::Critical;
  if (layer.output && layer.output->grids.size() == 1 && lost < layer.output->grids.front().scale) {
    return Severity::Info;
  }
  return Severity::Warning;
}

Finding findingFor(const DetectorInput& input, const LayerQuantization& layer,
                   const Overflow& overflow) {
  Finding finding = findingAt(input, "bias_overflow", layer.layer.lead());
  finding.value = outputOf(input.graph(), layer.layer);
  finding.channels = overflow.channels;
  finding.statistic = overflow.worst;
  finding.threshold = 1;
  finding.severity = severityOf(input, layer, overflow.lost);
  finding.evidence = Evidence::LayerError;
  const std::size_t count = overflow.channels.size();
  finding.text = "The bias of " +
                 (count == 1 ? "channel " + std::to_string(overflow.channels.front())
                             : std::to_string(count) + " channels") +
                 " of '" + finding.nodeName + "' is up to " + briefNumber(overflow.worst) +
                 " times too large for int32 and is cut off" +
                 (overflow.lost == 0 ? ", which the activation behind it hides." : ".");
  finding.why =
      "A bias is counted in steps of the input's scale times the weights' scale; where a channel's "
      "weights are tiny so is that step, and int32 cannot count that far.";
  ConfigChange change;
  change.bias = BiasRule::Int32Fit;
  finding.suggestion = Suggestion{
      "Let the scales of weights grow until each bias fits (\"bias\": \"int32-fit\"), or remove "
      "the channels if their weights are as good as 0.",
      {std::move(change)},
      {}};
  return finding;
}

}  // namespace

std::vector<Finding> findBiasOverflow(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const LayerQuantization& layer : input.model.layers) {
    if (biasOverflows(layer) == 0) continue;
    const Overflow overflow = overflowOf(input, layer);
    if (!overflow.channels.empty()) findings.push_back(findingFor(input, layer, overflow));
  }
  return findings;
}

}  // namespace quantscope
