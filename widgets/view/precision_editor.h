#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/analysis/config_gains.h"
#include "precision/edits/type_choices.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// Types at the front of wholeTypes() that stand side by side, and have keys.
inline constexpr std::size_t kFrontTypes = 4;

/// One type that what is selected can be set to.
struct TypeOffer {
  QuantType type = QuantType::Float32;
  std::size_t having = 0;  ///< layers that have it
  std::size_t able = 0;    ///< layers that can be set to it
  QString refusal;         ///< why the others cannot
};

/// The precision of what is selected.
struct SelectedPrecision {
  std::vector<std::size_t> layers;      ///< as in QuantizedModel::layers
  std::optional<PrecisionTarget> rule;  ///< that edits set in place of entries of the layers
  std::vector<TypeOffer> offers;        ///< by place in wholeTypes()
  std::size_t overridden = 0;           ///< layers with an entry of their own
  bool resettable = false;              ///< there is an entry to remove

  bool empty() const { return layers.empty(); }
  /// The type that all of them have; nullptr where they differ.
  const TypeOffer* common() const;
};

/// Says what the precision of the selected layers is and can be, and makes the edits that change
/// it, for inspector, menus and keyboard alike.
class PrecisionEditor : public QObject {
  Q_OBJECT

 public:
  explicit PrecisionEditor(const Selection* selection, QObject* parent = nullptr);
  ~PrecisionEditor() override;

  /// What the layers are; null = no model is open.
  void setSnapshot(const SnapshotPtr& snapshot);
  /// What is asked for now, and edits start from.
  void setConfig(const Configuration& config);
  const Configuration& config() const { return m_config; }
  /// Null where there is no model, or the configuration is not for it.
  const TypeChoices* choices() const;
  const SelectedPrecision& selected() const;

  /// The configurations that the types lead to, by place in wholeTypes(); none where a type cannot
  /// be had or is there already. In a large model it takes long, so that any thread may do it; null
  /// where there is nothing to try.
  using Candidates = std::function<std::vector<std::optional<Configuration>>()>;
  Candidates candidates() const;
  /// What the layers of a rule can be set to; none where no layer is known that it means.
  std::vector<TypeOffer> offersFor(const PrecisionTarget& target) const;
  /// What those would gain; forgotten with the selection and the configuration.
  void setGains(const ConfigGains& gains);
  const ConfigGains& gains() const { return m_gains; }

  /// The rules that the selected layers can be set by: all nodes of their operator, of their scope,
  /// and of names that the configuration has a rule for.
  std::vector<PrecisionTarget> rules() const;
  /// Whose precision is shown and edited until the selection changes: all nodes of a rule, which
  /// need not be selected; none: the selected layers by entries of their own.
  void setRule(const std::optional<PrecisionTarget>& rule);

  /// All nodes of the operator that the selected layers have; none where they have several.
  std::optional<PrecisionTarget> commonOperator() const;
  /// Like candidates() and gains(), for the types of all nodes of that operator.
  Candidates operatorCandidates() const;
  void setOperatorGains(const ConfigGains& gains);
  const ConfigGains& operatorGains() const { return m_operatorGains; }

  void setType(QuantType type);
  /// By place in wholeTypes().
  void setTypeAt(std::size_t place);
  /// All nodes of an operator type, a pattern, a scope.
  void setTypeOf(const PrecisionTarget& target, QuantType type);
  /// `what` goes before the names of the layers: "set weights to per tensor of".
  void setFields(const PrecisionFields& fields, const QString& what);
  void reset();
  /// An edit with what it means for the followers of fused patterns, where the model is known.
  ConfigEdit complete(const ConfigEdit& edit) const;
  /// The precision of the foremost selected layer, to and from the clipboard.
  void copy() const;
  void paste();

 Q_SIGNALS:
  void changed();
  void gainsChanged();
  void edited(const quantscope::ConfigEdit& edit);
  /// What was asked for cannot be, or only in part; a sentence, and what helps.
  void refused(const QString& sentence, const QString& hint);

 private:
  void forget();
  void forgetSelected();
  void tell(const ConfigEdit& edit);
  void tellPart(const ConfigEdit& edit, const TypeOffer& offer, std::size_t all);
  void refuseNothingSelected();
  std::vector<TypeOffer> offersOf(const std::vector<std::size_t>& layers) const;
  /// What a rule is to set.
  struct Asked {
    std::function<std::string(std::size_t layer)> refusal;  // why a layer cannot have it
    std::function<bool(std::size_t layer)> has;             // it has it already
  };
  TypeOffer offerOf(const PrecisionTarget& target, const std::vector<std::size_t>& layers,
                    const Asked& asked) const;
  std::vector<std::size_t> selectedLayers() const;
  std::optional<PrecisionTarget> selectedScope() const;
  bool setsRule(const TypeOffer& offer) const;
  SelectedPrecision describe() const;

  const Selection* m_selection;
  SnapshotPtr m_snapshot;
  Configuration m_config;
  ConfigGains m_gains;
  ConfigGains m_operatorGains;
  std::optional<PrecisionTarget> m_rule;
  bool m_ruleChosen = false;
  // Made when somebody asks, from those of the configuration or the model before.
  mutable std::shared_ptr<const TypeChoices> m_choices;
  mutable std::unique_ptr<const SelectedPrecision> m_selected;
  mutable LayerIndex m_layers;
  mutable bool m_upToDate = false;  // m_choices; null where there are none
};

}  // namespace quantscope
