#pragma once

#include <QWidget>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// The scale of the colours with a handle; better cells are grey. Positions as ErrorScale's: 0 =
/// nothing is grey.
class HeatmapLegend : public QWidget {
  Q_OBJECT

 public:
  explicit HeatmapLegend(QWidget* parent = nullptr);

  void setScale(const ErrorScale& scale);
  double threshold() const { return m_threshold; }
  void setThreshold(double position);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  /// The legend without its handle where nothing is grey, for pictures.
  void paint(QPainter& painter, const QRect& rect, const Theme& theme) const;

 Q_SIGNALS:
  void thresholdChanged(double position);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QRect barRect(const QRect& rect) const;
  void paintBar(QPainter& painter, const QRect& bar, const Theme& theme) const;
  void paintHandle(QPainter& painter, const QRect& bar, const Theme& theme) const;
  void dragTo(double x);

  ErrorScale m_scale;
  double m_threshold = 0;
};

}  // namespace quantscope
