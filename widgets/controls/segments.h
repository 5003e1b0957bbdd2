#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QToolButton;

namespace quantscope {

/// Checkable actions side by side in one frame, of which one is on.
class Segments : public QWidget {
  Q_OBJECT

 public:
  explicit Segments(QWidget* parent = nullptr);

  /// `title` is short; the action's own text is for menus.
  void addAction(QAction* action, const QString& title);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void moveFocus(const QWidget* from, const QWidget* to);
  void followChoice(QToolButton* chosen);

  QHBoxLayout* m_layout;
};

}  // namespace quantscope
