#pragma once

#include <QWidget>

#include "widgets/charts/histogram_data.h"
#include "widgets/copy/picture_actions.h"

class QAction;
class QToolButton;

namespace quantscope {

class HistogramChart;
class HistogramLegend;

/// A histogram chart with its legend and the choice between linear and logarithmic counts.
class HistogramPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramPanel(QWidget* parent = nullptr);

  void setData(const HistogramData& histogram);
  /// The contents of a bin, as in its tool tip.
  QString readOut(std::size_t bin) const;
  /// Actions for a context menu; setPictureName() names the picture's file.
  const QList<QAction*>& pictureMenu() const { return m_pictureMenu; }
  /// The chart below its legend.
  ViewPicture picture() const;
  void setPictureName(const QString& name) { m_pictureName = name; }
  bool logarithmic() const;
  void setLogarithmic(bool logarithmic);
  HistogramChart& chart() const { return *m_chart; }
  /// The bins as lines of text.
  QString asText() const;

 private:
  HistogramLegend* m_legend;
  QToolButton* m_scale;
  HistogramChart* m_chart;
  QList<QAction*> m_pictureMenu;
  QString m_pictureName;
};

}  // namespace quantscope
