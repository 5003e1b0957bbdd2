#pragma once

#include <QAbstractItemModel>

#include "jobs/analysis_snapshot.h"
#include "widgets/copy/table_actions.h"
#include "widgets/outline/outline_tree.h"

namespace quantscope {

/// OutlineTree as a model of two columns: the name, and the figure of the metric that is shown.
class OutlineModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kName, kFigure, kColumns };
  enum Role {
    kOperators = kExactRole + 20,  ///< QString; of layers
    kLayerCount,                   ///< qlonglong; of scopes
    kAbsence,                      ///< Figure::Kind where the figure is not a value
  };

  using QAbstractItemModel::QAbstractItemModel;

  /// The same layers keep their rows.
  void setSnapshot(SnapshotPtr snapshot);
  void showFigures(const DisplayOptions& options);

  const OutlineTree& tree() const { return m_tree; }
  const AnalysisResult* result() const { return m_snapshot ? m_snapshot->result.get() : nullptr; }
  const Figure& figure(const QModelIndex& index) const { return m_figures[index.internalId()]; }
  const MetricDescription& metric() const { return *m_metric; }
  const OutlineTree::Item& item(const QModelIndex& index) const {
    return m_tree[index.internalId()];
  }
  QModelIndex indexOf(OutlineTree::Index item, int column = kName) const;
  /// The reverse.
  static OutlineTree::Index indexAt(const QModelIndex& index) { return index.internalId(); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// With a mark where figures are differences.
  QString metricTitle() const;
  QString fullName(const OutlineTree::Item& item) const;
  QString operators(const OutlineTree::Item& item) const;
  QString toolTip(const QModelIndex& index) const;

  SnapshotPtr m_snapshot;
  OutlineTree m_tree;
  std::vector<Figure> m_figures;
  std::vector<std::size_t> m_worst;
  const MetricDescription* m_metric = &metricCatalogue().front();
  ErrorKind m_kind = ErrorKind::Local;
  bool m_delta = false;  // figures are differences
};

}  // namespace quantscope
