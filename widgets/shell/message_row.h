#pragma once

#include <QFrame>

#include "widgets/shell/message_bar.h"

class QBoxLayout;
class QLabel;

namespace quantscope {

/// One message with its buttons.
class MessageBar::Row : public QFrame {
 public:
  Row(const Message& message, MessageBar* bar);

  const Message& message() const { return m_message; }
  void setHint(const QString& hint);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QColor colour() const;
  void addText(QBoxLayout* layout);
  void addButtons(QBoxLayout* layout, MessageBar* bar);
  void showWords();

  Message m_message;
  QBoxLayout* m_layout;
  QLabel* m_picture;
  QLabel* m_words;
  QTimer* m_timer;
};

}  // namespace quantscope
