#include "layer_order.h"

#include <algorithm>
#include <iterator>

namespace quantscope {

std::vector<std::size_t> worstFirst(const AnalysisResult& result, const DisplayOptions& options,
                                    std::size_t most) {
  const std::vector<Figure> figures = options.figures(result);
  // Stretched over all layers, the scale keeps every two figures apart.
  const ErrorScale scale(options.metric(), figures, true);
  struct Placed {
    double position;
    std::size_t layer;
  };
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].kind == Figure::Kind::Value) {
      placed.push_back({scale.position(figures[i].value), i});
    }
  }
  const auto end = placed.begin() + static_cast<std::ptrdiff_t>(std::min(most, placed.size()));
  std::partial_sort(placed.begin(), end, placed.end(), [](const Placed& a, const Placed& b) {
    return a.position != b.position ? a.position > b.position : a.layer < b.layer;
  });
  std::vector<std::size_t> layers;
  std::transform(placed.begin(), end, std::back_inserter(layers),
                 [](const Placed& each) { return each.layer; });
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
