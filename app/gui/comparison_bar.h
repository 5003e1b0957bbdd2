#pragma once

#include <QWidget>

#include "actions.h"
#include "comparison.h"

class QMenu;
class QToolButton;

namespace quantscope {

/// "A ▾ ⇄ B ▾ 📌": which two configurations are compared.
class ComparisonBar : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive it.
  ComparisonBar(Comparison& comparison, Actions& actions, QWidget* parent = nullptr);

 private:
  QToolButton* addChoice(void (ComparisonBar::*fill)(QMenu&), const QString& tip);
  void fillShown(QMenu& menu);
  void fillOther(QMenu& menu);
  void refresh();

  Comparison& m_comparison;
  QToolButton* m_shown;
  QToolButton* m_other;
};

}  // namespace quantscope
