#include "bench/ui/canvas_moves.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QWheelEvent>

#include "bench/ui/wait.h"
#include "widgets/graph/canvas/graph_canvas.h"

namespace quantscope::bench {
namespace {

constexpr int kNotch = 120;

class Mover {
 public:
  Mover(GraphCanvas& canvas, const GraphCanvas* follower)
      : m_canvas(canvas), m_follower(follower) {}

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
    const int followerBefore = m_follower != nullptr ? m_follower->frames() : 0;
    QElapsedTimer timer;
    timer.start();
    QApplication::sendEvent(&m_canvas, &event);
    const auto painted = [&] {
      return m_canvas.frames() != before &&
             (m_follower == nullptr || m_follower->frames() != followerBefore);
    };
    while (!painted() && timer.elapsed() < 1000) QApplication::processEvents();
    m_frames.push_back(millisecondsOf(timer));
  }

  GraphCanvas& m_canvas;
  const GraphCanvas* m_follower;
  std::vector<double> m_frames;
};

}  // namespace

std::vector<double> moveAbout(GraphCanvas& canvas, const GraphCanvas* follower) {
  canvas.setAnimated(false);
  canvas.fit();
  Mover mover(canvas, follower);
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

}  // namespace quantscope::bench
