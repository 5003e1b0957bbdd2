#pragma once

#include <QtTest>

#include "support/patience.h"
#include "support/sample_snapshot.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"

namespace quantscope::test {

/// A view of a graph on screen, 900 × 700, with everything in place and painted.
struct ShownGraph {
  Selection selection;
  DisplayOptions options;
  GraphView view{ViewContext{&selection, &options}};

  explicit ShownGraph(const SnapshotPtr& snapshot = sampleSnapshot()) {
    view.canvas().setAnimated(false);
    view.resize(900, 700);
    view.setSnapshot(snapshot);
    view.show();
    settle();
  }

  GraphCanvas& canvas() { return view.canvas(); }
  const GraphScene& scene() { return *canvas().content().scene; }
  void settle() { QTRY_VERIFY(view.settled()); }

  std::size_t boxOf(std::size_t layer) { return scene().boxOfLayer(layer).value(); }
  NodeId nodeOf(std::size_t layer) { return view.snapshot()->result->layers[layer].node; }
  QPoint positionOf(std::size_t box) {
    return canvas().camera().toView(scene().boxes()[box].rect.center()).toPoint();
  }
};

}  // namespace quantscope::test
