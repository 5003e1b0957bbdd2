#pragma once

#include <QAbstractItemModel>

#include "jobs/analysis_snapshot.h"
#include "widgets/copy/table_actions.h"
#include "widgets/findings/finding_order.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {

/// Findings under the headings of their groups. Cells are raw values; the delegate says how they
/// look.
class FindingsModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kSentence, kLayer, kStatistic, kThreshold, kGain, kColumns };
  /// A finding's Severity as int; empty for a heading.
  static constexpr int kSeverityRole = kExactRole + 20;
  /// True for a dismissed finding.
  static constexpr int kDismissedRole = kExactRole + 21;
  /// The number of findings below a heading.
  static constexpr int kCountRole = kExactRole + 22;
  /// A gain as it is shown.
  static constexpr int kGainTextRole = kExactRole + 23;

  using QAbstractItemModel::QAbstractItemModel;

  /// Where the same findings stay in the same rows, only their cells change.
  void show(SnapshotPtr snapshot, const Dismissed& dismissed, const FindingsQuery& query);
  /// Gains that are absent are still being found out.
  void setPending(bool pending);
  bool pending() const { return m_pending; }
  /// Sorts by a column; −1 = the order of the detectors.
  void sort(int column, Qt::SortOrder direction) override;

  const std::vector<Finding>& findings() const;
  /// nullptr on a heading.
  const Finding* finding(const QModelIndex& index) const;
  /// Where a finding is listed; invalid where it is not.
  QModelIndex find(const std::string& id) const;
  /// The first listed finding of a layer, by its leading node.
  QModelIndex find(NodeId node) const;
  /// Findings that are listed, in their order.
  std::vector<const Finding*> listed() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant headingData(const FindingGroup& group, int column, int role) const;
  QVariant cell(const Finding& finding, int column) const;
  QString spoken(const Finding& finding, int column, const QVariant& raw) const;
  QString explained(const Finding& finding, int column, const QVariant& raw) const;
  template <class Matches>
  QModelIndex findIf(Matches matches) const;
  std::vector<FindingGroup> grouped(const SnapshotPtr& snapshot) const;
  void regroup();
  template <class Changed>
  void tellRows(Changed changed);

  SnapshotPtr m_snapshot;
  Dismissed m_dismissed;
  FindingsQuery m_query;
  FindingOrder m_order = FindingOrder::Report;
  Qt::SortOrder m_direction = Qt::AscendingOrder;
  bool m_pending = false;
  std::vector<FindingGroup> m_groups;
};

}  // namespace quantscope
