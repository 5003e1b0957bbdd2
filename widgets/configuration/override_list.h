#pragma once

#include <QWidget>

#include "jobs/analysis/config_gains.h"
#include "precision/edits/config_edit.h"
#include "precision/edits/edit_precision.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace quantscope {

class OverridesModel;
class PrecisionEditor;

/// The entries of a configuration besides its default: each rule and each layer of its own, with
/// its gain and a way to remove it; below it a rule for names can be added.
class OverrideList : public QWidget {
  Q_OBJECT

 public:
  /// Without an editor it knows neither the layers that a rule means, nor what becomes of fused
  /// patterns.
  explicit OverrideList(const PrecisionEditor* editor, QWidget* parent = nullptr);

  void setConfig(const PrecisionConfig& config, const Repairs& repairs = {});
  void setLosses(const ConfigGains& losses);
  /// The rows: rules and layers. What is fused with a layer in float stands in its row.
  int count() const { return m_count; }
  /// The edits that remove them, by row.
  std::vector<ConfigEdit> removals() const;

 Q_SIGNALS:
  void edited(const quantscope::ConfigEdit& edit);
  void ruleRequested(const quantscope::PrecisionTarget& target, quantscope::QuantType type);
  /// A row was clicked.
  void targetChosen(const quantscope::PrecisionTarget& target);
  void countChanged();

 private:
  void showRows();
  void click(const QModelIndex& index);
  void addRule();
  void fitHeight();
  void offerTypes();
  PrecisionTarget target() const;
  ConfigEdit removal(int row) const;

  const PrecisionEditor* m_editor;
  OverridesModel* m_model;
  QLabel* m_title;
  QTableView* m_table;
  QLineEdit* m_pattern;
  QComboBox* m_type;
  PrecisionConfig m_config;
  Repairs m_repairs;
  int m_count = 0;
};

}  // namespace quantscope
