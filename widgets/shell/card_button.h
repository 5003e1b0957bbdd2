#pragma once

#include <QAbstractButton>

namespace quantscope {

/// A card that can be clicked: icon, title, second line.
class CardButton : public QAbstractButton {
  Q_OBJECT

 public:
  CardButton(const QIcon& icon, const QString& title, const QString& subtitle,
             QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  /// Enter activates it as the space bar does.
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_subtitle;
};

}  // namespace quantscope
