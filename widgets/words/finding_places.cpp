#include "widgets/words/finding_places.h"

#include "widgets/look/text.h"
#include "widgets/view/scopes.h"

namespace quantscope {

FindingsPlace placeOfScope(const AnalysisSnapshot& snapshot, const std::string& scope) {
  FindingsPlace place{.title = text(scope), .nodes = {}};
  for (const LayerResult& layer : snapshot.result->layers) {
    if (isWithinScope(scopeOf(layer.name), scope))
      place.nodes.insert(layer.members.begin(), layer.members.end());
  }
  return place;
}

FindingsPlace placeOfLayers(const AnalysisSnapshot& snapshot, const QString& title,
                            const std::vector<std::size_t>& layers) {
  FindingsPlace place{.title = title, .nodes = {}};
  for (const std::size_t i : layers) {
    const LayerResult& layer = snapshot.result->layers[i];
    place.nodes.insert(layer.members.begin(), layer.members.end());
  }
  return place;
}

}  // namespace quantscope
