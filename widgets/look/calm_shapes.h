#pragma once

#include <QAbstractSpinBox>
#include <QPainter>
#include <QStyle>

class QStyleOption;
class QStyleOptionButton;

namespace quantscope {

struct Theme;

/// The shapes that CalmStyle is made of, each painted for one style option.
class CalmShapes {
 public:
  CalmShapes(QPainter& painter, const QStyleOption& option);

  void toolButton() const;
  void pushButton() const;
  void comboBox() const;
  void checkBox() const;
  /// `up` and `down`: where its arrows are.
  void spinBox(const QRect& up, const QRect& down, QAbstractSpinBox::StepEnabled steps) const;
  void field(const QStyle& style, const QWidget* widget) const;
  void fieldFrame() const;
  void frame() const;
  void viewItem() const;
  void focusRing() const;
  void toolBarSeparator() const;
  void tabBarBase() const;
  void tip() const;
  void handle() const;
  void bar() const;
  void plain() const;
  void menuBarItem(const QStyle& style) const;
  void tab() const;
  void headerSection() const;
  void dockTitle(const QStyle& style, const QWidget* widget) const;
  void progressGroove() const;
  void progressContents() const;
  void scrollBar(const QRect& handle, bool upright) const;

  /// The one button of a dialog or page that Enter presses.
  static bool isPrimary(const QStyleOptionButton& button);
  /// The chosen entry of a menu is tinted, not filled.
  static QPalette menuPalette(QPalette palette);

 private:
  bool is(QStyle::StateFlag flag) const;
  void rounded(const QRectF& rect, const QColor& fill, const QColor& line, qreal radius) const;
  /// The text colour as a veil of so much strength, 0 … 255.
  QColor veil(int strength) const;
  QColor accentVeil(int strength) const;

  QPainter& m_painter;
  const QStyleOption& m_option;
  const Theme& m_theme;
};

}  // namespace quantscope
