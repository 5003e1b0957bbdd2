#pragma once

#include <QScrollArea>

#include "precision/config/precision_config.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace quantscope {

class TensorSchemeForm;

/// How the whole model is quantized: the default of a configuration, as a form. Entries of single
/// nodes stay as they are.
class SchemePanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit SchemePanel(QWidget* parent = nullptr);

  /// Without emitting changed().
  void setConfig(const PrecisionConfig& config);
  const PrecisionConfig& config() const { return m_config; }

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// By the user. `what` names the step for the Edit menu: "Set weights to per tensor".
  void changed(const PrecisionConfig& config, const QString& what);

 private:
  void buildGeneral(QFormLayout* layout);
  void connectFields();
  void showBackend();
  QString ownSchemes() const;
  void usePreset(int index);
  void editWeights(const TensorPrecision& weight, const QString& what);
  void editActivations(const TensorPrecision& activation, const QString& what);
  void finishEdit(NodePrecision& precision, const QString& what);
  void showConfig();

  PrecisionConfig m_config;
  QComboBox* m_preset;
  TensorSchemeForm* m_weights;
  TensorSchemeForm* m_activations;
  QComboBox* m_backend;
  QComboBox* m_convention;
  QLabel* m_own;
};

}  // namespace quantscope
