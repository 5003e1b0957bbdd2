#include "layer_order.h"

#include <algorithm>

namespace quantscope {

std::vector<std::size_t> worstFirst(const AnalysisResult& result, const DisplayOptions& options) {
  const std::vector<Figure> figures = options.figures(result);
  // Stretched over all layers, the scale keeps every two figures apart.
  const ErrorScale scale(options.metric(), figures, true);
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].kind == Figure::Kind::Value) layers.push_back(i);
  }
  std::ranges::stable_sort(layers, std::greater{},
                           [&](std::size_t layer) { return scale.position(figures[layer].value); });
  return layers;
}

std::optional<SearchMatch> matchAfter(const std::vector<SearchMatch>& matches,
                                      const SearchMatch& last, const LayerIndex& layers,
                                      bool forward) {
  if (matches.empty()) return std::nullopt;
  const std::size_t count = matches.size();
  const auto found = std::ranges::find(matches, last);
  if (found != matches.end()) {
    const auto at = static_cast<std::size_t>(found - matches.begin());
    return matches[(at + (forward ? 1 : count - 1)) % count];
  }
  // Without a selection the search starts before the first layer.
  const auto from = layers.find(last.selected.node);
  const auto isBehind = [&](const SearchMatch& match) {
    const auto layer = layers.find(match.selected.node);
    return !from || (layer && *layer > *from);
  };
  const auto first = std::ranges::find_if(matches, isBehind);
  if (forward) return first == matches.end() ? matches.front() : *first;
  return first == matches.begin() ? matches.back() : *(first - 1);
}

}  // namespace quantscope
