#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/graph/canvas/graph_camera.h"
#include "widgets/graph/canvas/graph_tiles.h"

class QGestureEvent;
class QNativeGestureEvent;

namespace quantscope {

/// Shows a graph that the user can move about in. Knows boxes, not their meaning: it reports
/// clicked ones, and is given the selected ones.
class GraphCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit GraphCanvas(QWidget* parent = nullptr);

  void setContent(const GraphContent& content);
  void clear();
  const GraphContent& content() const { return m_tiles.content(); }
  /// Boxes and a frame that are outlined as selected.
  void setSelected(std::vector<std::size_t> boxes, std::optional<std::size_t> frame);
  const std::vector<std::size_t>& selectedBoxes() const { return m_selected; }

  const GraphCamera& camera() const { return m_camera; }
  /// Jumps take no time, as tests and measurements want it.
  void setAnimated(bool animated) { m_animated = animated; }
  void fit();
  void zoomBy(double factor);
  /// Sets the overlaid rims of the canvas.
  void setInsets(const QMarginsF& insets) { m_camera.setInsets(insets); }
  /// Shows all of the graph, or as much of it as stays legible, from its beginning; also after
  /// another size of the window, until the user moves about.
  void showBeginning();
  /// The user has not moved about since then.
  bool atBeginning() const;
  /// Brings a place to the middle; `scale` 0 = as it is.
  void centreOn(const QPointF& scenePoint, double scale = 0);
  /// Moves as little as needed to make `area` visible.
  void reveal(const QRectF& area);
  /// At once, without a jump to be seen.
  void setView(const QPointF& centre, double scale);

  /// True where everything in sight is painted as it should be.
  bool sharp() const { return m_tiles.sharp() && m_painted; }
  /// Paintings so far.
  int frames() const { return m_frames; }

 Q_SIGNALS:
  void boxClicked(std::size_t box);
  void boxToggled(std::size_t box);    ///< clicked with Ctrl
  void boxActivated(std::size_t box);  ///< double click
  void badgeClicked(std::size_t box);  ///< of its findings
  void frameClicked(std::size_t frame);
  void edgeClicked(std::size_t edge);
  void expandRequested(std::size_t box);
  void collapseRequested(std::size_t frame);
  void backgroundClicked();
  void menuRequested(const QPoint& position);
  /// The pointer is over something else now, or over nothing; a position in the widget.
  void hovered(const QPoint& position);
  void viewChanged();
  /// Another scene is on screen.
  void sceneChanged();

 public:
  std::optional<std::size_t> boxAt(const QPoint& position) const;
  bool hasBoxIn(const QRect& area) const;
  /// The box whose badge is there.
  std::optional<std::size_t> badgeAt(const QPoint& position) const;
  std::optional<std::size_t> edgeAt(const QPoint& position) const;
  std::optional<std::size_t> frameAt(const QPoint& position) const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  bool nativeGesture(QNativeGestureEvent* event);
  bool gesture(QGestureEvent* event);
  void zoomAt(const QPointF& position, double factor);
  void moved();
  void glideTo(const QPointF& centre, double scale);
  const DrawnBox& firstBox() const;
  double beginningScale() const;
  void click(const QPoint& position, bool toggles);
  void hover(const QPoint& position);
  void paintOverlay(QPainter& painter);

  GraphCamera m_camera;
  std::optional<GraphCamera> m_beginning;  // as showBeginning() left it
  GraphTiles m_tiles;
  std::vector<std::size_t> m_selected;
  std::optional<std::size_t> m_selectedFrame;
  std::optional<std::size_t> m_hoveredBox;
  std::optional<std::size_t> m_hoveredEdge;
  bool m_onBadge = false;  // of the hovered box
  QPoint m_pressed;
  QPoint m_last;
  bool m_down = false;
  bool m_dragging = false;
  bool m_animated = true;
  bool m_painted = false;
  int m_frames = 0;
  QTimer m_settle;  // runs while the scale keeps changing
  QVariantAnimation m_glide;
};

}  // namespace quantscope
