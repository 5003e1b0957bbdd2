#include "bench/ui/graph_frames.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QWheelEvent>

#include "base/error.h"
#include "bench/ui/wait.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"

namespace quantscope::bench {
namespace {

constexpr QSize kCanvas{1600, 1000};
constexpr int kNotch = 120;

GraphView& graphOf(MainWindow& window) {
  return *window.findChild<GraphView*>();
}

// Moves about in a canvas and keeps how long each frame took.
class Mover {
 public:
  explicit Mover(GraphCanvas& canvas) : m_canvas(canvas) {}

  void zoom(int steps, int angle) {
    for (int i = 0; i < steps; ++i) {
      const QPointF at = m_canvas.rect().center();
      QWheelEvent event(at, m_canvas.mapToGlobal(at), {}, QPoint(0, angle), Qt::NoButton, {},
                        Qt::NoScrollPhase, false);
      frame(event);
    }
  }

  void pan(int steps, const QPoint& step) {
    QPointF at = m_canvas.rect().center();
    send(QEvent::MouseButtonPress, at);
    for (int i = 0; i < steps; ++i) {
      at += step;
      QMouseEvent event(QEvent::MouseMove, at, m_canvas.mapToGlobal(at), Qt::NoButton,
                        Qt::LeftButton, {});
      frame(event);
    }
    send(QEvent::MouseButtonRelease, at);
  }

  std::vector<double>& frames() { return m_frames; }

 private:
  void send(QEvent::Type type, const QPointF& at) {
    QMouseEvent event(type, at, m_canvas.mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(&m_canvas, &event);
  }

  void frame(QEvent& event) {
    const int before = m_canvas.frames();
    QElapsedTimer timer;
    timer.start();
    QApplication::sendEvent(&m_canvas, &event);
    while (m_canvas.frames() == before && timer.elapsed() < 1000) QApplication::processEvents();
    m_frames.push_back(millisecondsOf(timer));
  }

  GraphCanvas& m_canvas;
  std::vector<double> m_frames;
};

// Into the middle of the graph, along it, out, across, and in again elsewhere.
std::vector<double> moveAbout(GraphCanvas& canvas) {
  canvas.setAnimated(false);
  canvas.fit();
  Mover mover(canvas);
  mover.zoom(22, kNotch);
  mover.pan(120, {-4, -9});
  mover.zoom(8, -kNotch);
  mover.pan(120, {9, -5});
  mover.zoom(30, -kNotch / 4);
  mover.pan(60, {2, 11});
  mover.zoom(40, kNotch / 4);
  mover.pan(120, {-13, 3});
  return std::move(mover.frames());
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
  figures.frames = summarize(moveAbout(graph.canvas()));
  return figures;
}

}  // namespace quantscope::bench
