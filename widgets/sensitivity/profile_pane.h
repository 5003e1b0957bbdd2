#pragma once

#include <QWidget>

#include "search/optimized_config.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace quantscope {

class CriteriaField;

/// Types by the profiles of operators alone: the choices with their confidence and reason, and a
/// button that adopts them. Says that nothing of it is measured.
class ProfilePane : public QWidget {
  Q_OBJECT

 public:
  explicit ProfilePane(QWidget* parent = nullptr);

  CriteriaField& criteria() { return *m_criteria; }
  /// By node, in execution order.
  void setChoices(const std::vector<ChoiceReason>& nodes);
  /// In the place of choices: what to do, or why there are none.
  void setHint(const QString& sentence);
  /// `refusal`: why they cannot be adopted; empty = they can.
  void setRefusal(const QString& refusal);

 Q_SIGNALS:
  /// By the user.
  void criteriaChanged();
  void adoptRequested();
  void nodeChosen(const QString& name);
  /// It has come in sight.
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void addRow(int row, const ChoiceReason& choice);
  void showReason();

  CriteriaField* m_criteria;
  QPushButton* m_adopt;
  QLabel* m_words;
  QLabel* m_reason;  // of the chosen row
  QLabel* m_hint;
  QTableWidget* m_nodes;
};

}  // namespace quantscope
