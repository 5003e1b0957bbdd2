#pragma once

#include <QWidget>

#include "widgets/charts/histogram_data.h"

namespace quantscope {

/// Explains the parts of a histogram chart that are present.
class HistogramLegend : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramLegend(QWidget* parent = nullptr);

  void setData(const HistogramData& histogram);
  QSize sizeHint() const override;
  int heightForWidth(int width) const override;
  /// In a picture of that width.
  void paint(QPainter& painter, int width) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont smallFont() const;
  QStringList labels() const;
  int line() const;
  QList<QPoint> places(int width) const;

  bool m_hasQuantized = false;
  bool m_hasGrid = false;
  QuantType m_type = QuantType::Float32;
};

}  // namespace quantscope
