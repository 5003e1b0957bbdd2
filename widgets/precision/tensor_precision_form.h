#pragma once

#include <QWidget>
#include <functional>

#include "precision/edits/edit_precision.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;

namespace quantscope {

class RangeFields;

/// The fields of how weights, or activations, are quantized. Fields without effect on what is
/// chosen (the observer of half floats, say) are not there.
class TensorPrecisionForm : public QWidget {
  Q_OBJECT

 public:
  enum class Role {
    Weights,
    Activations,  ///< inputs and outputs alike
    Inputs,
    Output,
  };
  explicit TensorPrecisionForm(Role role, QWidget* parent = nullptr);

  /// Why a type cannot be had; empty where it can.
  using Refusal = std::function<QString(QuantType)>;
  /// Types that are refused cannot be chosen, apart from the one that is there.
  void offerTypes(const Refusal& refusal);
  /// Adds what sets an exact range; of the tensors of one layer.
  void addRange();
  /// Without emitting edited(). `mixed`: fields that are there differ among several layers, and
  /// `precision` is that of one of them.
  void setPrecision(const TensorPrecision& precision, const TensorFields& mixed = {});
  const TensorPrecision& precision() const { return m_precision; }

 Q_SIGNALS:
  /// By the user, who has set `fields`. `what` names the step: "Set weights to per tensor".
  void edited(const quantscope::TensorFields& fields, const QString& what);

 private:
  void buildFields();
  void add(const QString& label, QWidget* field, const QString& tip);
  QDoubleSpinBox* addPercent(const QString& label, const QString& tip);
  QSpinBox* addNumber(const QString& label, int lowest, int highest, const QString& tip);
  void connectFields();
  void showFields();
  void showMixed();
  void showRows();
  QString title() const;
  QString subject() const;
  bool ofWeights() const { return m_role == Role::Weights; }
  /// Sets the fields, and tells.
  void edit(const TensorFields& fields, const QString& what);
  void editObserver(const ObserverSpec& observer);
  void editGranularity(const Granularity& granularity);
  void showGranularity();
  void showRange();

  Role m_role;
  TensorPrecision m_precision;
  TensorFields m_mixed;
  QFormLayout* m_layout;
  QComboBox* m_type;
  QComboBox* m_symmetry;
  QComboBox* m_granularity = nullptr;  // weights
  QSpinBox* m_axis = nullptr;          // weights
  QSpinBox* m_groupSize = nullptr;     // weights
  QComboBox* m_mode = nullptr;         // activations
  QComboBox* m_observer;
  QSpinBox* m_bins = nullptr;
  QDoubleSpinBox* m_constant = nullptr;  // activations
  QDoubleSpinBox* m_low = nullptr;
  QDoubleSpinBox* m_high = nullptr;
  RangeFields* m_range = nullptr;
};

}  // namespace quantscope
