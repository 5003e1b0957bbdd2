#pragma once

#include <QWidget>

#include "widgets/charts/histogram_data.h"

namespace quantscope {

/// Says what the parts of a histogram chart are: those that it has.
class HistogramLegend : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramLegend(QWidget* parent = nullptr);

  void setData(const HistogramData& histogram);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool m_hasQuantized = false;
  bool m_hasGrid = false;
  QuantType m_type = QuantType::Float32;
};

}  // namespace quantscope
