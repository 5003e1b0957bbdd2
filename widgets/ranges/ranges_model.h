#pragma once

#include <QAbstractTableModel>

#include "widgets/copy/table_actions.h"
#include "widgets/tables/figure_order.h"
#include "widgets/view/layer_index.h"
#include "widgets/words/range_rows.h"

namespace quantscope {

/// The observed values of a snapshot as rows, in execution order.
class RangesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kPosition, kValue, kChart, kLow, kHigh, kWidth, kMismatch, kColumns };
  /// Of every cell: the row's place in rows(), also through a proxy.
  static constexpr int kRowRole = kExactRole + 30;

  using QAbstractTableModel::QAbstractTableModel;

  /// Other figures for the same values keep the rows; anything else is a reset.
  void setSnapshot(SnapshotPtr snapshot);
  const SnapshotPtr& snapshot() const { return m_snapshot; }
  /// Figures are differences to those of `other`; null = they are what they are.
  void setOther(const std::shared_ptr<const AnalysisResult>& other);
  const std::vector<RangeRow>& rows() const { return m_rows; }
  const RangeRow& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
  /// See innerRange(); computed when it is first asked for.
  const Range& inner(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant raw(int row, int column) const;
  QVariant valueOf(int row, int column) const;
  /// The figure of a value in the other result; nothing where it is not known there.
  std::optional<double> otherFigure(const RangeRow& row, int column) const;

  SnapshotPtr m_snapshot;  // m_rows point into it
  std::vector<RangeRow> m_rows;
  mutable std::vector<std::optional<Range>> m_inner;
  std::shared_ptr<const AnalysisResult> m_other;
  LayerIndex m_otherLayers;
};

/// RangesModel filtered and sorted. The filter's figures are those of the value's layer.
class RangesOrder : public FigureOrder {
  Q_OBJECT

 public:
  using FigureOrder::FigureOrder;

  /// Values between the operators of fused layers are left out unless they are asked for.
  void showInner(bool shown);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  bool m_inner = false;
};

}  // namespace quantscope
