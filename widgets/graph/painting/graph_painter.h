#pragma once

#include <QPainter>

#include "widgets/graph/drawing/graph_scene.h"
#include "widgets/graph/painting/graph_highlight.h"
#include "widgets/graph/painting/graph_looks.h"
#include "widgets/graph/painting/observer_marks.h"

namespace quantscope {

/// Everything that a graph's picture depends on; may be painted from any thread.
struct GraphContent {
  GraphScenePtr scene;
  GraphLooksPtr looks;
  GraphHighlightPtr highlight;
  ObserverMarksPtr marks = nullptr;  ///< null: not shown

  bool empty() const { return scene == nullptr; }
};

/// How much of a box is shown at a scale; everything fades in, so that nothing flickers where one
/// level goes over into the next.
struct GraphDetail {
  double scale = 1;
  double names = 1;      ///< opacity of titles, names and figures
  double operators = 0;  ///< opacity of the large operator types
  bool fine = true;      ///< round corners, smooth edges, arrows
};
GraphDetail detailAt(double scale);

/// Paints the part of a graph in `area`, in scene coordinates, on a painter that is set up for
/// them. `scale` is that of the picture.
void paintGraph(QPainter& painter, const GraphContent& content, const QRectF& area, double scale);

/// A line around a box: of the selection, the box under the pointer, or one that a search found.
void paintOutline(QPainter& painter, const DrawnBox& box, const QColor& colour, double width,
                  double scale);
/// One edge that stands out.
void paintLitEdge(QPainter& painter, const GraphContent& content, std::size_t edge, double scale);

}  // namespace quantscope
