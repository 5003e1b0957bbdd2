#include "bench/ui/linked_frames.h"

#include <QApplication>
#include <QElapsedTimer>

#include "base/error.h"
#include "bench/ui/canvas_moves.h"
#include "bench/ui/wait.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"
#include "widgets/models/linked_graphs.h"

namespace quantscope::bench {
namespace {

// Every layer is its own twin.
ComparedSnapshots withItself(const SnapshotPtr& snapshot) {
  ComparedSnapshots compared{snapshot, snapshot, {}};
  for (std::size_t row = 0; row < snapshot->result->layers.size(); ++row) {
    compared.pairs.push_back({row, row});
  }
  return compared;
}

void waitFor(const GraphView& graph) {
  waitUntil([&] { return graph.layoutsBegun() > 0 && graph.settled(); }, "the linked graph");
}

}  // namespace

FrameTimes measureLinkedGraphs(const SnapshotPtr& snapshot) {
  LinkedGraphs graphs;
  graphs.resize(1600, 1000);
  graphs.show();
  graphs.setModels(withItself(snapshot));
  GraphView* const both[] = {&graphs.first(), &graphs.second()};
  for (GraphView* graph : both) {
    waitFor(*graph);
    if (graph->drawingOptions().collapsed.empty()) continue;
    graph->setDrawingOptions(expandAll(graph->drawingOptions()));
    waitFor(*graph);
  }
  return summarize(moveAbout(graphs.first().canvas(), &graphs.second().canvas()));
}

}  // namespace quantscope::bench
