#include "widgets/graph/graph_arrival.h"

#include <utility>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_subjects.h"

namespace quantscope {

bool GraphArrival::arrive(GraphCanvas& canvas, const GraphSubjects& subjects) {
  if (std::exchange(m_fromTheTop, false)) {
    canvas.showBeginning();
    m_anchor.reset();
    return true;
  }
  if (std::exchange(m_fit, false)) {
    canvas.fit();
  } else if (!keepAnchor(canvas, subjects)) {
    canvas.setView(canvas.camera().centre(), canvas.camera().scale());
  }
  return false;
}

bool GraphArrival::keepAnchor(GraphCanvas& canvas, const GraphSubjects& subjects) {
  if (!m_anchor) return false;
  const Anchor anchor = *std::exchange(m_anchor, std::nullopt);
  const std::optional<QPointF> corner = subjects.cornerOf(anchor.scope, anchor.owner);
  if (!corner) return false;
  const GraphCamera& camera = canvas.camera();
  const QPointF shift = camera.toScene(anchor.position) - *corner;
  canvas.setView(camera.centre() - shift, camera.scale());
  // The corner of a wide frame may show nothing of its contents.
  const std::optional<QRectF> inside = subjects.firstInside(anchor.scope, anchor.owner);
  if (inside) canvas.reveal(*inside);
  return true;
}

}  // namespace quantscope
