#include "analysis/bad_layers.h"

#include <algorithm>
#include <limits>

namespace quantscope {

double ownDb(const LayerResult& layer) {
  const bool known = layer.local && layer.local->total.sqnrDb;
  return known ? *layer.local->total.sqnrDb : std::numeric_limits<double>::infinity();
}

std::vector<std::size_t> layersToExplain(const AnalysisResult& result, std::size_t worst) {
  std::vector<std::size_t> layers;
  if (isExact(result)) return layers;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    if (ownDb(result.layers[i]) < kGoodLayerDb) layers.push_back(i);
  }
  std::ranges::stable_sort(layers, {}, [&](std::size_t i) { return ownDb(result.layers[i]); });
  std::size_t count = std::min(worst, layers.size());
  while (count < layers.size() && ownDb(result.layers[layers[count]]) < kBadLayerDb) ++count;
  layers.resize(count);
  std::ranges::sort(layers);
  return layers;
}

bool isExactOutput(const OutputResult& output) {
  return output.error.count > 0 && output.error.nonFinite == 0 &&
         output.error.maxAbs.value_or(1) == 0;
}

bool isExact(const AnalysisResult& result) {
  const auto compared = [](const OutputResult& output) { return output.error.count > 0; };
  return std::ranges::any_of(result.outputs, compared) &&
         std::ranges::none_of(result.outputs, [&](const OutputResult& output) {
           return compared(output) && !isExactOutput(output);
         });
}

}  // namespace quantscope
