#pragma once

#include <QWidget>
#include <map>

#include "search/measured/measured_search.h"

class QComboBox;
class QDoubleSpinBox;

namespace quantscope {

/// What a search may spend, or has to keep: the budgets of the command line's `optimize`.
class BudgetField : public QWidget {
  Q_OBJECT

 public:
  explicit BudgetField(QWidget* parent = nullptr);

  SearchGoal goal() const;
  void setGoal(const SearchGoal& goal);
  /// What all constants take as configured. A quarter more is the budget of bytes, until the user
  /// sets another one.
  void setBytesNow(double bytes);
  /// For another model: a budget of bytes that the user has set was about the one before.
  void forgetBytes() { m_bytesSet = false; }

 Q_SIGNALS:
  /// By whomever.
  void kindChanged();
  /// By the user.
  void changed();

 private:
  using Kind = SearchGoal::Kind;

  Kind kind() const;
  void showKind();

  std::map<Kind, double> m_limits;  // as goals hold them
  bool m_bytesSet = false;
  QComboBox* m_kind;
  QDoubleSpinBox* m_limit;
};

}  // namespace quantscope
