#pragma once

#include <QWidget>
#include <vector>

#include "widgets/look/error_scale.h"
#include "widgets/view/display_options.h"

namespace quantscope {

/// Says what the colours, patterns and stripes of the graph mean.
class GraphLegend : public QWidget {
  Q_OBJECT

 public:
  explicit GraphLegend(QWidget* parent = nullptr);

  void show(const AnalysisResult& result, const DisplayOptions& options);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintRamp(QPainter& painter, const QRectF& bar) const;
  void paintKeys(QPainter& painter, double top) const;

  QString m_title;
  ErrorScale m_scale;
  std::vector<QuantType> m_types;  // in the model
};

}  // namespace quantscope
