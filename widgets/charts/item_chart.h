#pragma once

#include <QWidget>

namespace quantscope {

/// Items side by side, such as channels or batches: resting on one explains it, a click or the
/// arrow keys pick one. Subclasses say where the items are, and paint them.
class ItemChart : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

 Q_SIGNALS:
  /// The user has picked an item.
  void picked(int item);

 protected:
  /// The item at a place; −1 = none.
  virtual int itemAt(const QPointF& place) const = 0;
  /// The item's description, in a line or two.
  virtual QString itemWords(int item) const = 0;
  /// Where an arrow key leads: to the left (`step` −1) or to the right (1); −1 = nowhere.
  virtual int itemBeside(int step) const;

  /// Shows the words of the item at a place, or hides those that are shown.
  void explain(const QPointF& place);
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace quantscope
