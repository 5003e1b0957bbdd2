#pragma once

#include <QWidget>
#include <vector>

#include "widgets/look/error_scale.h"
#include "widgets/view/display_options.h"

namespace quantscope {

/// Explains the colours, patterns and stripes of the graph.
class GraphLegend : public QWidget {
  Q_OBJECT

 public:
  explicit GraphLegend(QWidget* parent = nullptr);

  /// `observers`: their marks are drawn.
  void show(const AnalysisResult& result, const DisplayOptions& options, bool observers);
  /// Where there is room, the keys stand below the ramp or beside it; in less the ramp stands
  /// alone, at last without its title.
  void setMost(const QSize& most);
  /// False where not even the bar of colours has room.
  bool fits() const { return form() != Form::None; }
  QSize sizeHint() const override;
  /// All of it, whatever has room on screen; for pictures.
  QSize wholeSize() const;
  void paintWhole(QPainter& painter) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  enum class Form { KeysBeside, KeysBelow, Ramp, Bar, None };
  Form form() const;
  QSize sizeOf(Form form) const;
  void paint(QPainter& painter, Form form) const;
  void paintTitle(QPainter& painter, const QRect& row) const;
  void paintRamp(QPainter& painter, const QRect& area) const;
  void paintBar(QPainter& painter, const QRectF& bar) const;
  void paintKeys(QPainter& painter, double from, double top) const;
  void paintObserverKeys(QPainter& painter, double from, double top) const;

  QSize m_most;
  bool m_observers = false;
  QString m_title;
  ErrorScale m_scale;
  std::vector<QuantType> m_types;  // in the model
};

}  // namespace quantscope
