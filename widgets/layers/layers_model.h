#pragma once

#include <QAbstractTableModel>

#include "jobs/analysis_snapshot.h"
#include "widgets/copy/table_actions.h"
#include "widgets/tables/layer_columns.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// The layers of a snapshot as rows, in execution order, and layerColumns() as columns. Cells are
/// raw values; delegates say how they look.
class LayersModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// Figure::Kind of an error cell without a value.
  static constexpr int kAbsenceRole = kExactRole + 10;
  /// For every cell: the layer's leading operator.
  static constexpr int kOperatorRole = kExactRole + 11;

  using QAbstractTableModel::QAbstractTableModel;

  /// Other figures for the same layers keep the rows; anything else is a reset.
  void setSnapshot(SnapshotPtr snapshot);
  /// Errors are differences to those of `other`; null = absolute errors.
  void setOther(const std::shared_ptr<const AnalysisResult>& other);
  /// Null = none.
  const AnalysisResult* result() const { return m_snapshot ? m_snapshot->result.get() : nullptr; }
  const LayerResult& layer(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant valueOf(const LayerColumn& column, int row) const;

  SnapshotPtr m_snapshot;
  std::shared_ptr<const AnalysisResult> m_other;
  LayerIndex m_otherLayers;
};

}  // namespace quantscope
