#pragma once

#include <QAbstractButton>

namespace quantscope {

/// The line above a section: a chevron, the title and a note; a click or Space opens and closes.
class SectionTitle : public QAbstractButton {
  Q_OBJECT

 public:
  explicit SectionTitle(const QString& title, QWidget* parent = nullptr);

  void setNote(const QString& note);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  QFont titleFont() const;

  QString m_note;
  bool m_framed = false;  // the focus came by the keyboard
};

}  // namespace quantscope
