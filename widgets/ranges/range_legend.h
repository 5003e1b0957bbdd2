#pragma once

#include <QWidget>

namespace quantscope {

struct Theme;

/// What the marks of the range chart mean.
class RangeLegend : public QWidget {
  Q_OBJECT

 public:
  explicit RangeLegend(QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// The same in a picture; as many of the marks as have room in `area`.
void paintRangeLegend(QPainter& painter, const QRectF& area, const Theme& theme);

}  // namespace quantscope
