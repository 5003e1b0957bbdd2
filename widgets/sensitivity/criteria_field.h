#pragma once

#include <QWidget>

#include "search/profiles/profile_prior.h"

class QComboBox;
class QDoubleSpinBox;

namespace quantscope {

/// What a choice by profiles goes for: the criteria of the command line's `optimize --criteria`.
class CriteriaField : public QWidget {
  Q_OBJECT

 public:
  explicit CriteriaField(QWidget* parent = nullptr);

  Criteria criteria() const;
  /// The figures of Custom stay where the criteria are others.
  void setCriteria(const Criteria& criteria);
  /// "balanced", "at most 2 % lost, at least 1.5 ×"
  QString words() const;

 Q_SIGNALS:
  /// By the user.
  void changed();

 private:
  Criteria::Kind kind() const;
  void showKind();

  QComboBox* m_kind;
  QDoubleSpinBox* m_loss;     // percent
  QDoubleSpinBox* m_speedup;  // multiple of float32's speed
};

}  // namespace quantscope
