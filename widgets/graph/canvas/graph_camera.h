#pragma once

#include <QMarginsF>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace quantscope {

/// The visible part of the scene of a widget. Positions in the widget are logical pixels; painted
/// pieces lie on whole device pixels, so that they fit together without blur.
class GraphCamera {
 public:
  double scale() const { return m_scale; }
  const QPointF& centre() const { return m_centre; }
  const QSizeF& viewSize() const { return m_view; }
  double pixelRatio() const { return m_pixelRatio; }

  void setView(const QSizeF& size, double pixelRatio);
  /// The allowed area: the centre stays in it, and it is never smaller than half the view.
  void setBounds(const QRectF& bounds);
  /// The overlaid rims of the view: a whole graph is fitted and centred between them.
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
