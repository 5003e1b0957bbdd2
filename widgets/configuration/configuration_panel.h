#pragma once

#include <QScrollArea>

#include "jobs/analysis/config_gains.h"
#include "precision/edits/edit_precision.h"

class QAction;
class QComboBox;
class QFormLayout;
class QLabel;

namespace quantscope {

class OverrideList;
class PrecisionEditor;
class PresetBox;
class TensorPrecisionForm;

/// How the model is quantized: the default of a configuration as a form, and below it what rules
/// and single layers have of their own.
class ConfigurationPanel : public QScrollArea {
  Q_OBJECT

 public:
  /// The editor, which may be null, knows the layers of the model.
  explicit ConfigurationPanel(const PrecisionEditor* editor = nullptr, QWidget* parent = nullptr);

  /// Does not emit edited().
  void setConfig(const PrecisionConfig& config, const Repairs& repairs = {});
  const PrecisionConfig& config() const { return m_config; }

  /// The presets, for menus.
  const QList<QAction*>& presetActions() const { return m_presetActions; }

  /// True if it is in front of the panels in the same place.
  bool canBeSeen() const;

  /// The edits that remove the overrides, in their order, and the network's gain by each.
  std::vector<ConfigEdit> removals() const;
  /// Rules and layers with a precision of their own.
  int overrideCount() const;
  void setLosses(const ConfigGains& losses);

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The user has edited; the sentence is in the user's language: "Set weights to per tensor".
  void edited(const quantscope::ConfigEdit& edit);
  void ruleRequested(const quantscope::PrecisionTarget& target, quantscope::QuantType type);
  void targetChosen(const quantscope::PrecisionTarget& target);
  void overrideCountChanged();
  /// It came into sight.
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildGeneral(QFormLayout* layout);
  void connectFields();
  void tell(ConfigEdit edit, const QString& what);
  void showBackend();
  QString ownSharing() const;
  QList<QAction*> makePresetActions();
  void usePreset(int index);
  void editWeights(const QString& what);
  void editActivations(const QString& what);
  void finishEdit(NodePrecision& precision, const QString& what);
  void showConfig();
  void countOverrides();

  PrecisionConfig m_config;
  Repairs m_repairs;
  PresetBox* m_preset;
  TensorPrecisionForm* m_weights;
  TensorPrecisionForm* m_activations;
  QComboBox* m_backend;
  QComboBox* m_convention;
  OverrideList* m_overrides;
  QLabel* m_own;
  QList<QAction*> m_presetActions;
};

}  // namespace quantscope
