#pragma once

#include <QWidget>

#include "actions.h"
#include "app/gui/comparison.h"
#include "dialogs.h"

class QMenu;
class QToolButton;

namespace quantscope {

/// "A ▾ ⇄ B ▾ 📌": which two configurations are compared.
class ComparisonBar : public QWidget {
  Q_OBJECT

 public:
  /// All outlive it.
  ComparisonBar(Comparison& comparison, Actions& actions, std::shared_ptr<Dialogs> dialogs,
                QWidget* parent = nullptr);

 private:
  QToolButton* addChoice(void (ComparisonBar::*fill)(QMenu&), const QString& tip);
  void fillShown(QMenu& menu);
  void fillOther(QMenu& menu);
  void addChanges(QMenu& menu, const QString& name);
  void refresh();

  Comparison& m_comparison;
  std::shared_ptr<Dialogs> m_dialogs;
  QToolButton* m_shown;
  QToolButton* m_other;
};

}  // namespace quantscope
