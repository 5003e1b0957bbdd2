#include "widgets/view/layer_index.h"

#include <algorithm>

namespace quantscope {

bool sameLayers(const AnalysisResult* a, const AnalysisResult* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return std::ranges::equal(a->layers, b->layers, [](const LayerResult& x, const LayerResult& y) {
    return x.members == y.members && x.name == y.name;
  });
}

}  // namespace quantscope
