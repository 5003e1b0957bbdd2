#include "bench/ui/graph_frames.h"

#include <QApplication>
#include <QElapsedTimer>

#include "base/error.h"
#include "bench/ui/canvas_moves.h"
#include "bench/ui/wait.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"

namespace quantscope::bench {
namespace {

constexpr QSize kCanvas{1600, 1000};

GraphView& graphOf(MainWindow& window) {
  return *window.findChild<GraphView*>();
}

}  // namespace

void waitForGraph(MainWindow& window, int layoutsBefore) {
  GraphView& graph = graphOf(window);
  QElapsedTimer timer;
  timer.start();
  while (graph.layoutsBegun() == layoutsBefore || !graph.settled()) {
    if (timer.elapsed() > kLongestWaitMs) {
      throw Error(ErrorCode::InsufficientData, "the graph was not painted within two minutes", {},
                  "try a smaller model");
    }
    QApplication::processEvents(QEventLoop::AllEvents, 2);
  }
}

GraphFigures measureGraph(MainWindow& window, const AnalysisRequest& request) {
  GraphView& graph = graphOf(window);
  window.resize(window.size() + kCanvas - graph.canvas().size());
  QApplication::processEvents();

  GraphFigures figures;
  QElapsedTimer timer;
  timer.start();
  int layouts = graph.layoutsBegun();
  window.session().open(request);
  waitForGraph(window, layouts);
  figures.firstPaintMs = millisecondsOf(timer);
  figures.nodes = graph.snapshot()->graph().nodes().size();
  figures.expandedPaintMs = figures.firstPaintMs;

  if (!graph.drawingOptions().collapsed.empty()) {
    layouts = graph.layoutsBegun();
    timer.restart();
    graph.setDrawingOptions(expandAll(graph.drawingOptions()));
    waitForGraph(window, layouts);
    figures.expandedPaintMs = millisecondsOf(timer);
  }
  figures.frames = summarize(moveAbout(graph.canvas(), nullptr));
  return figures;
}

}  // namespace quantscope::bench
