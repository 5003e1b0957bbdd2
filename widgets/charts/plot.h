#pragma once

#include "widgets/charts/item_chart.h"
#include "widgets/copy/picture_actions.h"

namespace quantscope {

struct Theme;

/// A small chart: a vertical axis of numbers with hairlines, and what subclasses draw on it. Copies
/// and saves as a picture.
class Plot : public ItemChart {
  Q_OBJECT

 public:
  explicit Plot(const QString& name, QWidget* parent = nullptr);

  QSize sizeHint() const override { return {280, 180}; }
  QSize minimumSizeHint() const override { return {120, 88}; }

 protected:
  /// Where the data are drawn, and what its vertical axis spans.
  struct Frame {
    QRectF area;
    double low = 0;
    double high = 1;
    double y(double number) const {
      return area.bottom() - (number - low) / (high - low) * area.height();
    }
    /// The slot below `x` of `count` equal slots side by side, or the nearest one; −1 = there are
    /// none.
    int slotAt(double x, std::size_t count) const;
  };

  Frame frame(const QSizeF& size) const;
  /// The bar of an item in its slot.
  static QRectF barIn(const QRectF& slot, double top, double bottom);
  int numbersWidth() const;
  /// Numbers that the vertical axis must span; 0 is always on it.
  void setExtent(double low, double high);
  double low() const { return m_low; }
  double high() const { return m_high; }

  virtual bool isEmpty() const = 0;
  virtual void paintData(QPainter& painter, const Frame& frame, const Theme& theme) const = 0;
  /// Below the horizontal axis.
  virtual QString caption() const = 0;
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintPlot(QPainter& painter, const QSizeF& size) const;
  void paintAxis(QPainter& painter, const Frame& frame, const Theme& theme) const;

  double m_low = 0;
  double m_high = 1;
};

}  // namespace quantscope
