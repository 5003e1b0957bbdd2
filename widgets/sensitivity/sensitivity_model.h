#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "jobs/sensitivity/sensitivity_in_steps.h"
#include "widgets/copy/table_actions.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// The rows of a sensitivity analysis: those that are measured, then those that still wait, with
/// what gradients or few samples say of them. Cells are raw values; delegates say how they look.
class SensitivityModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kType,
    kWorst,
    kLocal,
    kAgreement,
    kSensitive,
    kKl,
    kBytes,
    kMacs,
    kSamples,
    kFirstOutput
  };
  /// Of every cell: the layer's leading operator, and whether the row is not measured yet.
  static constexpr int kOperatorRole = kExactRole + 11;
  static constexpr int kWaitsRole = kExactRole + 12;

  using QAbstractTableModel::QAbstractTableModel;

  /// Both may be null. `analysis`: of the model that the rows are about.
  void setState(SnapshotPtr analysis, SensitivityStatePtr state);
  const SensitivityStatePtr& state() const { return m_state; }

  /// Of a row; not valid where the model has no such node any more.
  NodeId nodeAt(int row) const;
  /// Its place in the result's layers.
  std::optional<std::size_t> layerAt(int row) const;
  const LayerResult* layerOf(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const SensitivityRow* measuredAt(int row) const;
  const RankedRow& waitingAt(int row) const;
  QString explanationOf(const RankedRow& waiting, const SensitivityRow* estimate) const;
  QVariant rawValue(int row, int column) const;
  QVariant figureOf(const SensitivityRow& row, int column) const;
  QString explanation(int row, int column) const;
  std::size_t outputs() const;

  SnapshotPtr m_analysis;
  SensitivityStatePtr m_state;
  std::vector<NodeId> m_nodes;                     // by row
  std::vector<const SensitivityRow*> m_estimates;  // by row, from gradients; null without one
  LayerIndex m_layers;
};

}  // namespace quantscope
