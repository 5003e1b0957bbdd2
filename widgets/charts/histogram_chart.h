#pragma once

#include <QWidget>
#include <QtCharts/QChart>
#include <optional>

#include "widgets/charts/histogram_data.h"
#include "widgets/copy/picture_actions.h"

class QAreaSeries;
class QCategoryAxis;
class QGraphicsScene;
class QLineSeries;

namespace quantscope {

/// A distribution: float as a filled outline, quantized as steps, the range of the grid as a band
/// with its ends labelled, its levels as ticks where 64 or fewer are in view. Hovering, or the
/// arrow keys, read a bin out; dragging zooms in, a double click shows everything again. An end of
/// the band that can be moved is dragged; Esc gives that up.
class HistogramChart : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramChart(QWidget* parent = nullptr);

  /// As what is shown now is drawn.
  QChart* chart() const;

  /// While an end of the band is dragged, its place stays.
  void setData(const HistogramData& data);
  const HistogramData& data() const { return m_data; }
  /// Gives two charts one axis of values, which spans all of both; until one of them is zoomed.
  static void shareAxis(HistogramChart& first, HistogramChart& second);
  bool logarithmic() const { return m_logarithmic; }
  void setLogarithmic(bool logarithmic);
  /// The bin under a place in the widget.
  std::optional<std::size_t> binAt(const QPoint& place) const;
  /// "0.12 … 0.16: 1,204 float, 1,198 quantized"
  QString readOut(std::size_t bin) const;
  ViewPicture picture(const QString& name);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// An end of the band is dragged, and was let go.
  void rangeDragged(double low, double high);
  void rangeChosen(double low, double high);
  /// The drag was given up: the ends are where they were.
  void rangeLeft();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showAll();
  void setView(double low, double high);
  void replot();
  void plot() const;
  void colour();
  void hover(std::optional<std::size_t> bin, const QPoint& place);
  double toX(double value) const;
  double toValue(double x) const;
  void paint(QPainter& painter);
  void drawBand(QPainter& painter) const;
  void drawOver(QPainter& painter) const;
  void drawBandLabels(QPainter& painter) const;
  void drawHandles(QPainter& painter) const;
  enum class End { Low, High };
  std::optional<End> handleAt(const QPointF& place) const;
  void dragHandle(double x);
  void leaveHandle();

  // Shown by no view: a view would paint the window at each change, before the others are made.
  QGraphicsScene* m_scene;
  QChart* m_chart;
  // Laying out labels takes milliseconds, so that a change waits until the chart is looked at.
  mutable bool m_stale = false;
  HistogramData m_data;
  bool m_logarithmic = true;
  double m_viewLow = 0;
  double m_viewHigh = 1;
  bool m_zoomed = false;
  std::optional<std::size_t> m_hovered;
  std::optional<double> m_dragFrom;  // in pixels
  double m_dragTo = 0;
  std::optional<End> m_handle;        // the end being dragged
  std::optional<double> m_lowBefore;  // the ends without the drag
  std::optional<double> m_highBefore;

  QLineSeries* m_referenceTop;
  QLineSeries* m_referenceBase;
  QAreaSeries* m_reference;
  QLineSeries* m_quantized;
  QCategoryAxis* m_valueAxis;
  QCategoryAxis* m_countAxis;
};

}  // namespace quantscope
