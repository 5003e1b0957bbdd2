#pragma once

#include <QImage>
#include <QWidget>

#include "widgets/background/newest_work.h"
#include "widgets/graph/painting/graph_painter.h"

namespace quantscope {

class GraphCanvas;

/// The whole graph in small, with the canvas's visible part as a frame that can be dragged.
class GraphMinimap : public QWidget {
  Q_OBJECT

 public:
  explicit GraphMinimap(GraphCanvas* canvas, QWidget* parent = nullptr);

  void setContent(const GraphContent& content);
  /// The largest that it may be; long graphs are made short, their sides no longer to scale.
  void setMostSize(const QSize& size);
  /// Its size where `most` is the largest; there is a graph.
  QSize sizeWithin(const QSize& most) const;
  /// True where there is more than the canvas shows.
  bool useful() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void paintAnew();
  QRectF frame() const;
  void goTo(const QPointF& position);

  GraphCanvas* m_canvas;
  GraphContent m_content;
  QImage m_image;
  QSize m_most{220, 240};
  QPointF m_grip;  // of the frame that is dragged, from its middle
  NewestWork m_painting;
};

}  // namespace quantscope
