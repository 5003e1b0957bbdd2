#pragma once

#include <QAbstractItemModel>

#include "jobs/analysis_snapshot.h"
#include "widgets/copy/table_actions.h"
#include "widgets/findings/finding_groups.h"

namespace quantscope {

/// Findings under the headings of their groups. Cells are raw values; the delegate says how they
/// look.
class FindingsModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kSentence, kLayer, kStatistic, kThreshold, kGain, kColumns };
  /// Of a finding: its Severity as int. Of a heading: nothing.
  static constexpr int kSeverityRole = kExactRole + 20;
  /// Whether the user has put it aside.
  static constexpr int kDismissedRole = kExactRole + 21;
  /// Of a heading: how many findings stand under it.
  static constexpr int kCountRole = kExactRole + 22;

  using QAbstractItemModel::QAbstractItemModel;

  void show(SnapshotPtr snapshot, const Dismissed& dismissed, const FindingsQuery& query);
  const std::vector<Finding>& findings() const;
  /// nullptr on a heading.
  const Finding* finding(const QModelIndex& index) const;
  /// Where a finding is listed; invalid where it is not.
  QModelIndex find(const std::string& id) const;
  /// The first listed finding of a layer, by its leading node.
  QModelIndex find(NodeId node) const;
  /// Findings that are listed.
  std::size_t listed() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant headingData(const FindingGroup& group, int column, int role) const;
  QVariant cell(const Finding& finding, int column) const;
  template <class Matches>
  QModelIndex findIf(Matches matches) const;

  SnapshotPtr m_snapshot;
  Dismissed m_dismissed;
  std::vector<FindingGroup> m_groups;
};

}  // namespace quantscope
