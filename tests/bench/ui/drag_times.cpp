#include "bench/ui/drag_times.h"

#include <QAction>
#include <QMouseEvent>
#include <QScrollArea>
#include <QtCharts/QChart>

#include "bench/ui/wait.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/inspector/measured/distribution_section.h"

namespace quantscope::bench {
namespace {

constexpr std::size_t kLayers = 5;
constexpr int kMoves = 24;
constexpr double kFrameMs = 16;
constexpr double kLongestForOutputsMs = 10'000;

/// Counts how often a widget was painted.
class Paints : public QObject {
 public:
  explicit Paints(QWidget& widget) { widget.installEventFilter(this); }
  int count() const { return m_count; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++m_count;
    return QObject::eventFilter(watched, event);
  }

 private:
  int m_count = 0;
};

class Dragging {
 public:
  explicit Dragging(MainWindow& window)
      : m_window(window),
        m_session(window.session()),
        m_section(*window.findChild<DistributionSection*>()),
        m_chart(m_section.panel().chart()),
        m_paints(m_chart) {}

  std::optional<DragTimes> measure() {
    waitForAnalysis(m_window);
    for (const NodeId node : layersToDrag()) drag(node);
    if (m_frames.empty()) return std::nullopt;
    DragTimes times{summarize(m_frames), std::nullopt};
    if (!m_outputs.empty()) times.outputs = summarize(m_outputs).median;
    return times;
  }

 private:
  // From the first to the last one whose range can be set.
  std::vector<NodeId> layersToDrag() const {
    std::vector<NodeId> movable;
    for (const LayerResult& layer : m_session.snapshot()->result->layers) {
      if (layer.histogram && layer.outputScale && !layer.dataMover) movable.push_back(layer.node);
    }
    std::vector<NodeId> chosen;
    for (std::size_t i = 0; i < kLayers && !movable.empty(); ++i) {
      chosen.push_back(movable[i * (movable.size() - 1) / (kLayers - 1)]);
    }
    return chosen;
  }

  void send(QEvent::Type type, double x, Qt::MouseButtons held) {
    const QPointF at(x, m_chart.chart()->plotArea().center().y());
    const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(type, at, m_chart.mapToGlobal(at), button, held, {});
    QApplication::sendEvent(&m_chart, &event);
  }

  // Where the pointer says that there is something to be dragged.
  std::optional<double> upperEnd() {
    const QRectF area = m_chart.chart()->plotArea();
    for (double x = area.right(); x > area.center().x(); x -= 1) {
      send(QEvent::MouseMove, x, Qt::NoButton);
      if (m_chart.cursor().shape() == Qt::SizeHorCursor) return x;
    }
    return std::nullopt;
  }

  // As a user scrolls to it.
  void bringIntoSight() {
    for (QWidget* above = m_chart.parentWidget(); above != nullptr; above = above->parentWidget()) {
      if (auto* area = qobject_cast<QScrollArea*>(above)) area->ensureWidgetVisible(&m_chart);
    }
    letWork(kFrameMs);
  }

  void drag(NodeId node) {
    m_session.selection().selectNode(node);
    letWork(500);
    bringIntoSight();
    const std::optional<double> end = upperEnd();
    if (!end) return;
    send(QEvent::MouseButtonPress, *end, Qt::LeftButton);
    for (int i = 1; i <= kMoves; ++i) m_frames.push_back(move(*end - 2 * i));
    QElapsedTimer sinceLast;
    sinceLast.start();
    const double last = m_frames.back();
    const auto known = [&] { return m_section.asText().contains(QStringLiteral("; outputs")); };
    waitUntil([&] { return known() || millisecondsOf(sinceLast) > kLongestForOutputsMs; },
              "what the outputs gain");
    QApplication::processEvents();
    if (known()) m_outputs.push_back(last + millisecondsOf(sinceLast));
    send(QEvent::MouseButtonRelease, *end - 2 * kMoves, Qt::NoButton);
    waitForAnalysis(m_window);
    m_window.actions().at(ActionId::Undo)->trigger();
    waitForAnalysis(m_window);
  }

  double move(double x) {
    const int before = m_paints.count();
    QElapsedTimer timer;
    timer.start();
    send(QEvent::MouseMove, x, Qt::LeftButton);
    waitUntil([&] { return m_paints.count() > before; }, "a painted move");
    const double taken = millisecondsOf(timer);
    letWork(std::max(0.0, kFrameMs - taken));
    return taken;
  }

  MainWindow& m_window;
  Session& m_session;
  DistributionSection& m_section;
  HistogramChart& m_chart;
  Paints m_paints;
  std::vector<double> m_frames;
  std::vector<double> m_outputs;
};

}  // namespace

std::optional<DragTimes> measureDrags(MainWindow& window) {
  return Dragging(window).measure();
}

}  // namespace quantscope::bench
