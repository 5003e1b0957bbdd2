#pragma once

#include <QDialog>

#include "jobs/analysis_snapshot.h"
#include "training/training_choices.h"
#include "widgets/view/selection.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;

namespace quantscope {

class LayerListEdit;

/// The layers that a training can be told of.
struct TrainingLayers {
  QStringList all;
  QStringList selected;
};
TrainingLayers trainingLayers(const SnapshotPtr& snapshot, const Selected& selected);

/// Asks how the step "train" is carried out: what `train` can be told on the command line.
class TrainingDialog : public QDialog {
  Q_OBJECT

 public:
  TrainingDialog(const TrainingChoices& choices, const TrainingLayers& layers,
                 QWidget* parent = nullptr);

  TrainingChoices choices() const;
  void setChoices(const TrainingChoices& choices);

 private:
  LayerListEdit* addNames(QFormLayout* form, const QString& label, const QString& tip);

  TrainingLayers m_layers;
  QSpinBox* m_steps;
  QSpinBox* m_batch;
  QComboBox* m_scales;  // forms as their names in Qt::UserRole
  QCheckBox* m_keepsWeights;
  QCheckBox* m_stochastic;
  QDoubleSpinBox* m_temperature;
  QSpinBox* m_freezeAfter;
  LayerListEdit* m_frozen;
  LayerListEdit* m_unobserved;
  LayerListEdit* m_unquantized;
};

}  // namespace quantscope
