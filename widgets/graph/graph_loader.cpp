#include "widgets/graph/graph_loader.h"

#include <algorithm>
#include <exception>

#include "widgets/graph/drawing/build_drawing.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

GraphScenePtr makeScene(const AnalysisSnapshot& snapshot, const DrawingOptions& wanted,
                        bool byDefault, const QFont& font) {
  DrawingOptions options = wanted;
  if (byDefault) {
    options = defaultOptions(snapshot);
    options.leftToRight = wanted.leftToRight;
    options.constants = wanted.constants;
  }
  return std::make_shared<const GraphScene>(buildDrawing(snapshot, options, font), options);
}

}  // namespace

void GraphLoader::load(const SnapshotPtr& snapshot, const DrawingOptions& options, bool byDefault,
                       const QFont& font) {
  m_snapshot = snapshot;
  m_alike.reset();
  ++m_requests;
  m_work.start([=, this](const NewestWork::Turn& /*turn*/) -> NewestWork::Answer {
    try {
      const GraphScenePtr scene = makeScene(*snapshot, options, byDefault, font);
      return [this, scene] { Q_EMIT ready(scene); };
    } catch (const std::exception& error) {
      return [this, sentence = text(error.what())] { Q_EMIT failed(sentence); };
    }
  });
}

void GraphLoader::cancel() {
  m_snapshot.reset();
  m_alike.reset();
  m_work.cancel();
}

bool GraphLoader::isOfGraph(const AnalysisSnapshot& snapshot) const {
  return m_snapshot && m_snapshot->model.graph == snapshot.model.graph;
}

// Asked several times for each snapshot.
bool GraphLoader::isOfLayers(const AnalysisSnapshot& snapshot) const {
  if (!isOfGraph(snapshot)) return false;
  if (snapshot.result == m_snapshot->result || snapshot.result == m_alike) return true;
  const bool alike =
      std::ranges::equal(m_snapshot->result->layers, snapshot.result->layers,
                         [](const LayerResult& a, const LayerResult& b) {
                           return a.members == b.members && a.dataMover == b.dataMover;
                         });
  if (alike) m_alike = snapshot.result;
  return alike;
}

}  // namespace quantscope
