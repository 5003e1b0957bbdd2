#include "layer_order.h"

#include <algorithm>

#include "widgets/look/text.h"

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

std::optional<std::size_t> findLayer(const AnalysisResult& result, const QString& words,
                                     std::optional<std::size_t> from, bool forward) {
  const std::size_t count = result.layers.size();
  if (words.isEmpty() || count == 0) return std::nullopt;
  const std::size_t before = forward ? count - 1 : 0;  // so that the first step is to the first
  for (std::size_t step = 1; step <= count; ++step) {
    const std::size_t start = from.value_or(before);
    const std::size_t at = (start + (forward ? step : count - step)) % count;
    const LayerResult& layer = result.layers[at];
    for (const std::string* part : {&layer.name, &layer.fusedOps, &layer.scope}) {
      if (text(*part).contains(words, Qt::CaseInsensitive)) return at;
    }
  }
  return std::nullopt;
}

}  // namespace quantscope
