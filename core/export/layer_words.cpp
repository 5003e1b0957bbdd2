#include "export/layer_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/number_text.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

std::string shortOp(const std::string& op) {
  const std::string_view shorter = operatorTraits(op).shortName;
  return shorter.empty() ? op : std::string(shorter);
}

}  // namespace

std::string layerOps(const LayerResult& layer) {
  const std::string& ops = layer.fusedOps.empty() ? layer.op : layer.fusedOps;
  if (ops.find('+') == std::string::npos) return ops;
  std::string words;
  for (std::size_t begin = 0; begin <= ops.size();) {
    const std::size_t end = std::min(ops.find('+', begin), ops.size());
    words += (words.empty() ? "" : " + ") + shortOp(ops.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string typeWords(const std::optional<AppliedType>& applied) {
  if (!applied) return {};
  std::string words(name(applied->type));
  if (!hasScale(applied->type)) return words;
  words += " " + toString(applied->granularity);
  if (canBeAsymmetric(applied->type)) words += applied->symmetric ? " symmetric" : " asymmetric";
  if (applied->dynamic) words += " dynamic";
  return words;
}

std::string largestPart(const ErrorBudget& budget) {
  const std::array<std::pair<double, const char*>, 5> parts{
      {{budget.input, "rounding of its input"},
       {budget.weight, "its weights"},
       {budget.bias, "its bias"},
       {budget.output, "rounding of its output"},
       {budget.clipping, "clipping"}}};
  double whole = budget.together;
  for (const auto& [share, part] : parts) whole += share;
  const auto& [share, part] =
      *std::ranges::max_element(parts, {}, &decltype(parts)::value_type::first);
  return share > whole / 2 ? part : "";
}

std::string ladderWords(const LadderStep& step) {
  return computedDecibels(step.weightsOnlyDb) + " with weights alone quantized, " +
         computedDecibels(step.activationsOnlyDb) + " with activations alone";
}

std::string clippingWords(const LayerResult& layer) {
  std::string words;
  const auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (layer.clippedShare) {
    add(*layer.clippedShare > 0 ? percent(*layer.clippedShare) + " clipped" : "nothing clipped");
  }
  if (layer.biasOverflows > 0) {
    add("the bias of " + counted(layer.biasOverflows, "channel") + " does not fit into int32");
  }
  if (layer.observedMin && layer.observedMax) {
    add("the values reach from " + shortNumber(*layer.observedMin) + " to " +
        shortNumber(*layer.observedMax));
  }
  if (layer.representableMin && layer.representableMax) {
    add("the grid from " + shortNumber(*layer.representableMin) + " to " +
        shortNumber(*layer.representableMax));
  }
  return words;
}

}  // namespace quantscope
