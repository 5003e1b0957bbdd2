#pragma once

#include <QWidget>
#include <vector>

#include "widgets/copy/picture_actions.h"

class QChart;
class QChartView;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace quantscope {

/// Points of two figures in one unit, with the line on which both are equal. Copies
/// and saves as a picture.
class ScatterChart : public QWidget {
  Q_OBJECT

 public:
  /// `name`: proposed for the file of a picture.
  explicit ScatterChart(const QString& name, QWidget* parent = nullptr);

  void setAxes(const QString& horizontal, const QString& vertical);
  /// Points that are not finite are left out.
  void setPoints(const std::vector<QPointF>& points);
  /// −1 = none.
  void setCurrent(int point);
  int current() const { return m_current; }
  const std::vector<QPointF>& points() const { return m_points; }
  /// Empty where there are no points.
  ViewPicture picture(const QString& name) const;

 Q_SIGNALS:
  /// The user has picked a point: an index into points().
  void picked(int point);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void pick(const QPointF& place);
  void dress();
  void showCurrent();

  std::vector<QPointF> m_points;
  int m_current = -1;
  QChart* m_chart;
  QChartView* m_view;
  QScatterSeries* m_series;
  QScatterSeries* m_marked;
  QLineSeries* m_equal;
  QValueAxis* m_horizontal;
  QValueAxis* m_vertical;
};

}  // namespace quantscope
