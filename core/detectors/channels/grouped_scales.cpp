#include "detectors/channels/grouped_scales.h"

#include <algorithm>

#include "analysis/bad_layers.h"
#include "analysis/sensitivity/layer_part.h"
#include "base/number_text.h"
#include "detectors/changes/remedies.h"
#include "detectors/detector_layers.h"
#include "graph/operator_traits.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// Two bits.
constexpr double kUnevenGroups = 4;

/// How the output channels of a grouped transposed convolution share scales.
struct SharedScales {
  std::size_t scales = 0;
  std::size_t groups = 0;
  double spread = 1;  ///< largest ratio of widths under one scale
};

std::optional<SharedScales> sharedScalesOf(const DetectorInput& input,
                                           const LayerQuantization& layer) {
  const Node& node = input.graph()[layer.layer.lead()];
  if (operatorTraits(node).groupedAxis != GroupedAxis::Output || !layer.weight) return std::nullopt;
  const QuantParams& params = *layer.weight;
  const auto slot = weightInput(input.engine, node);
  if (!slot || !params.perChannel() || params.groupSize != 0) return std::nullopt;
  const Tensor weight = toLayout(foldLayer(input.engine, layer.layer, *slot).weight, Layout::Plain);
  const Shape& shape = weight.shape();  // [C_in, C_out / groups, …]
  const std::size_t groups = outputChannelGroups(node, shape);
  if (groups <= 1 || params.axis != 1) return std::nullopt;
  SharedScales shared{params.grids.size(), groups};
  const auto values = weight.values<float>();
  const auto channels = static_cast<std::size_t>(shape[1]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(2, shape.rank()));
  const std::size_t inputs = static_cast<std::size_t>(shape[0]) / groups;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::vector<Range> ranges(groups);
    for (std::size_t i = 0; i < groups * inputs; ++i) {
      for (std::size_t k = 0; k < inner; ++k) {
        ranges[i / inputs].include(values[(i * channels + channel) * inner + k]);
      }
    }
    shared.spread = std::max(shared.spread, spreadOf(ranges));
  }
  return shared;
}

bool weightsDominate(const LayerResult& row) {
  if (!row.budget || ownDb(row) >= kBadLayerDb) return false;
  const auto largest = dominatingPart(*row.budget);
  return largest && largest->part == LayerPart::Weight;
}

}  // namespace

std::vector<Finding> findGroupedScales(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    const std::optional<SharedScales> shared = sharedScalesOf(input, input.model.layers[i]);
    if (!shared) continue;
    const bool harmful = weightsDominate(input.result.layers[i]);
    const double threshold = shared->scales == 1 ? 1 : kUnevenGroups;
    if (shared->spread <= threshold && !harmful) continue;
    const NodeId lead = input.model.layers[i].layer.lead();
    Finding finding = findingAt(input, "grouped_scales", lead);
    finding.value = outputOf(input.graph(), input.model.layers[i].layer);
    finding.statistic = shared->spread;
    finding.threshold = threshold;
    finding.severity = harmful ? Severity::Warning : Severity::Info;
    finding.evidence = Evidence::ChannelRanges;
    finding.aboutWeights = true;
    const std::size_t channels = shared->scales * shared->groups;
    finding.text =
        "The " + std::to_string(channels) + " output channels of '" + finding.nodeName + "' have " +
        (shared->scales == 1 ? "one scale in all" : std::to_string(shared->scales) + " scales") +
        ", although its weights are quantized per channel: widths under one scale "
        "differ up to " +
        briefNumber(shared->spread) + " times.";
    finding.why =
        "A grouped transposed convolution has a scale for each output channel of a group, which "
        "holds for the channels of all " +
        std::to_string(shared->groups) + " groups.";
    finding.suggestion = remedyFor(input, i, LayerPart::Weight);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace quantscope
