#pragma once

#include <QWidget>

namespace quantscope {

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

}  // namespace quantscope
