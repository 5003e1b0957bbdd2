#pragma once

#include <QMarginsF>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace quantscope {

/// Which part of the scene a widget shows. Positions in the widget are logical pixels; what is
/// shown lies on whole device pixels, so that painted pieces fit together without blur.
class GraphCamera {
 public:
  double scale() const { return m_scale; }
  const QPointF& centre() const { return m_centre; }
  const QSizeF& viewSize() const { return m_view; }
  double pixelRatio() const { return m_pixelRatio; }

  void setView(const QSizeF& size, double pixelRatio);
  /// What may be shown: the centre stays in it, and it is never smaller than half the view.
  void setBounds(const QRectF& bounds);
  /// What lies over the rims of the view: wholes are fitted between, and centred there.
  void setInsets(const QMarginsF& insets) { m_insets = insets; }
  void setCentre(const QPointF& centre);
  void setScale(double scale);
  void panBy(const QPointF& viewWay);
  /// The scene point under `viewPoint` stays there.
  void zoomAt(const QPointF& viewPoint, double factor);

  /// The scale at which `area` fills the view but for a margin; at most `most`.
  double scaleFor(const QRectF& area, double most) const;
  /// The centre that brings `scenePoint` to the middle between the insets.
  QPointF centreFor(const QPointF& scenePoint, double scale) const;
  /// Between the insets, in the widget.
  QRectF clear() const;
  double smallestScale() const;
  static double largestScale();

  /// Position of the scene's origin in the widget, on a whole device pixel.
  QPointF origin() const;
  QPointF toView(const QPointF& scenePoint) const { return scenePoint * m_scale + origin(); }
  QPointF toScene(const QPointF& viewPoint) const { return (viewPoint - origin()) / m_scale; }
  QRectF toView(const QRectF& area) const;
  QRectF toScene(const QRectF& area) const;
  QRectF visible() const { return toScene(QRectF(QPointF(), m_view)); }

 private:
  double m_scale = 1;
  double m_pixelRatio = 1;
  QPointF m_centre;
  QSizeF m_view{1, 1};
  QMarginsF m_insets;
  QRectF m_bounds;
};

}  // namespace quantscope
