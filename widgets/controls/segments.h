#pragma once

#include <QWidget>

class QAction;
class QBoxLayout;
class QToolButton;

namespace quantscope {

/// Checkable actions side by side in one frame, of which one is on; where they have no room, one
/// below the other.
class Segments : public QWidget {
  Q_OBJECT

 public:
  explicit Segments(QWidget* parent = nullptr);

  /// `title` is short; the action's own text is for menus.
  void addAction(QAction* action, const QString& title);

  /// Of one line.
  QSize sizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void moveFocus(const QWidget* from, const QWidget* to);
  void followChoice(QToolButton* chosen);

  QBoxLayout* m_layout;
};

}  // namespace quantscope
