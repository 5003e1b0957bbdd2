#pragma once

#include <QDialog>

#include "training/training_choices.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace quantscope {

/// Asks how the step "train" is carried out: what `train` can be told on the command line.
class TrainingDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TrainingDialog(const TrainingChoices& choices, QWidget* parent = nullptr);

  TrainingChoices choices() const;
  void setChoices(const TrainingChoices& choices);

 private:
  QLineEdit* addNames(QFormLayout* form, const QString& label, const QString& tip);

  QSpinBox* m_steps;
  QSpinBox* m_batch;
  QComboBox* m_scales;  // forms as their names in Qt::UserRole
  QCheckBox* m_keepsWeights;
  QCheckBox* m_stochastic;
  QDoubleSpinBox* m_temperature;
  QSpinBox* m_freezeAfter;
  QLineEdit* m_frozen;
  QLineEdit* m_unobserved;
  QLineEdit* m_unquantized;
};

}  // namespace quantscope
