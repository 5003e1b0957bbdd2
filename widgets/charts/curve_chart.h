#pragma once

#include <QWidget>
#include <vector>

class QAreaSeries;
class QChart;
class QChartView;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace quantscope {

/// Points of two figures as a line, of which one is chosen: by a click, by dragging along the line,
/// and by the arrow keys, Home and End. May have a second figure on an axis of its own at the
/// right.
class CurveChart : public QWidget {
  Q_OBJECT

 public:
  struct Content {
    QString horizontal;  ///< titles with units
    QString vertical;
    QString second;               ///< empty = there is no second figure
    std::vector<QPointF> points;  ///< ascending along the horizontal axis; all finite
    std::vector<double> seconds;  ///< by point

    friend bool operator==(const Content&, const Content&) = default;
  };

  explicit CurveChart(QWidget* parent = nullptr);

  void setContent(const Content& content);
  const Content& content() const { return m_content; }
  /// An index into the points; −1 = none.
  void setCurrent(int point);
  int current() const { return m_current; }
  /// A limit of the horizontal figure; the area beyond is shaded. Below 0 = none.
  void setLimit(double limit);
  /// Where a point stands, within this widget.
  QPoint positionOf(int point) const;

 Q_SIGNALS:
  /// The user has picked a point.
  void picked(int point);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void pickAt(const QPointF& place);
  void pick(int point);
  void dress();
  void showCurrent();
  void setRanges();
  void fitTitles();

  Content m_content;
  int m_current = -1;
  double m_limit = -1;
  QChart* m_chart;
  QChartView* m_view;
  QLineSeries* m_line;
  QScatterSeries* m_dots;
  QScatterSeries* m_marked;
  QLineSeries* m_seconds;
  QLineSeries* m_upright;
  QLineSeries* m_beyondTop;
  QAreaSeries* m_beyond;
  QValueAxis* m_horizontal;
  QValueAxis* m_vertical;
  QValueAxis* m_right;
};

}  // namespace quantscope
