#pragma once

#include <QScrollArea>

#include "precision/edits/config_edit.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace quantscope {

class TensorPrecisionForm;

/// How the whole model is quantized: the default of a configuration, as a form. Entries of single
/// nodes stay as they are.
class ConfigurationPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit ConfigurationPanel(QWidget* parent = nullptr);

  /// Without emitting edited().
  void setConfig(const PrecisionConfig& config);
  const PrecisionConfig& config() const { return m_config; }

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// By the user; the sentence is in the user's language: "Set weights to per tensor".
  void edited(const quantscope::ConfigEdit& edit);

 private:
  void buildGeneral(QFormLayout* layout);
  void connectFields();
  void tell(ConfigEdit edit, const QString& what);
  void showBackend();
  QString ownPrecisions() const;
  void usePreset(int index);
  void editWeights(const TensorPrecision& weight, const QString& what);
  void editActivations(const TensorPrecision& activation, const QString& what);
  void finishEdit(NodePrecision& precision, const QString& what);
  void showConfig();

  PrecisionConfig m_config;
  QComboBox* m_preset;
  TensorPrecisionForm* m_weights;
  TensorPrecisionForm* m_activations;
  QComboBox* m_backend;
  QComboBox* m_convention;
  QLabel* m_own;
};

}  // namespace quantscope
