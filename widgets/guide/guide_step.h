#pragma once

#include <QWidget>

#include "export/report/procedure.h"

class QLabel;
class QPushButton;

namespace quantscope {

/// One step of the procedure: whether it is done, the network's state, and an action with one
/// click.
class GuideStep : public QWidget {
  Q_OBJECT

 public:
  explicit GuideStep(QWidget* parent = nullptr);

  /// `number`: from 1. `next`: it is the first that is open.
  void show(int number, const ProcedureStep& step, bool next);
  /// An empty text hides the button.
  void setAction(const QString& text, const QString& toolTip, bool enabled);

 Q_SIGNALS:
  void actionRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int m_number = 0;
  bool m_done = false;
  bool m_next = false;
  QLabel* m_title;
  QLabel* m_sentence;
  QPushButton* m_button;
};

}  // namespace quantscope
