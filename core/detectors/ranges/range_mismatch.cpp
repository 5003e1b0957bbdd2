#include "detectors/ranges/range_mismatch.h"

#include <algorithm>

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Four bits: of int8 an operand is left with what int4 would give it.
constexpr double kLostFactor = 16;
// Four bits are enough for an operand, however many codes there are.
constexpr double kEnough = 16;
// Below it the operand has two bits at most.
constexpr double kHardlyAny = 4;
// A narrow summand weighs as little in the exact sum, too.
constexpr double kDoubtOfSums = 0.6;

struct Operand {
  ValueId value;
  const Observation* observation = nullptr;
};

std::vector<Operand> operandsOf(const DetectorInput& input, const Node& node) {
  std::vector<Operand> operands;
  for (const ValueId value : node.inputs) {
    const Observation* observation = observationOf(input, value);
    if (observation == nullptr || input.engine.constant(value) != nullptr) continue;
    if (widthOf(observation->range) > 0) operands.push_back({value, observation});
  }
  return operands;
}

bool concatenates(const Node& node) {
  return operatorTraits(node).combination == Combination::Concatenation;
}

bool meets(const Node& node) {
  return node.domain.empty() && operatorTraits(node).combination != Combination::None;
}

// A concatenated value must live with its few codes; a summand was small beside the rest
// anyway.
Severity severityOf(const Node& node, double codes) {
  if (!concatenates(node)) return codes < 1 ? Severity::Warning : Severity::Info;
  return codes < kHardlyAny ? Severity::Critical : Severity::Warning;
}

std::string sentence(const DetectorInput& input, const Finding& finding, const Operand& narrow,
                     const ActivationGrid& output) {
  const std::string codes =
      finding.statistic < 1 ? "less than one" : "about " + briefNumber(finding.statistic);
  return "'" + input.graph()[narrow.value].name + "' (" + spanText(narrow.observation->range) +
         ") meets far wider values in '" + finding.nodeName + "' (" +
         spanText(output.observation->range) + "), which leaves it " + codes + " of " +
         briefNumber(output.levels()) + " codes.";
}

std::optional<Finding> judge(const DetectorInput& input, const LayerQuantization& layer,
                             const ActivationGrid& output) {
  const Node& node = input.graph()[layer.layer.lead()];
  const std::vector<Operand> operands = operandsOf(input, node);
  if (operands.empty() || node.inputs.size() < 2) return std::nullopt;
  const Operand& narrow = *std::ranges::min_element(
      operands, {}, [](const Operand& operand) { return widthOf(operand.observation->range); });
  const double width = widthOf(narrow.observation->range);
  const double codes = width / output.grid().scale;
  const double threshold = std::min(output.levels() / kLostFactor, kEnough);
  // A grid that no value fills is what findUnusedRange() reports.
  const bool mismatch = widthOf(output.observation->range) >= kLostFactor / 2 * width;
  if (codes >= threshold || !mismatch) return std::nullopt;
  Finding finding = findingAt(input, "range_mismatch", layer.layer.lead());
  finding.value = narrow.value;
  finding.statistic = codes;
  finding.threshold = threshold;
  finding.severity = severityOf(node, codes);
  finding.confidence = concatenates(node) ? 1 : kDoubtOfSums;
  finding.evidence = Evidence::Histogram;
  finding.text = sentence(input, finding, narrow, output);
  finding.why =
      "What is joined or summed is rounded to one grid, whose step follows from the widest values; "
      "beside that step the narrow ones hardly differ from each other.";
  finding.suggestion = widenGroup(input, output.point->value, {}, placeOf(input, output));
  return finding;
}

}  // namespace

std::vector<Finding> findRangeMismatch(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    const LayerQuantization& layer = input.model.layers[i];
    if (!meets(input.graph()[layer.layer.lead()])) continue;
    for (const ActivationGrid& grid : activationGrids(input, i)) {
      if (!grid.point->isOutput()) continue;
      if (std::optional<Finding> finding = judge(input, layer, grid)) {
        findings.push_back(*std::move(finding));
      }
    }
  }
  return findings;
}

}  // namespace quantscope
