#pragma once

#include <QAbstractItemModel>
#include <set>

#include "jobs/analysis_snapshot.h"
#include "widgets/copy/table_actions.h"
#include "widgets/findings/finding_order.h"
#include "widgets/words/finding_groups.h"
#include "widgets/words/layer_names.h"

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
  /// Whether it is not among those of B.
  static constexpr int kNewRole = kExactRole + 24;
  /// Of a gain: as it is shown.
  static constexpr int kGainTextRole = kExactRole + 23;

  /// Of a sentence or a layer: with the short names of the layers.
  static constexpr int kShortRole = kExactRole + 25;

  using QAbstractItemModel::QAbstractItemModel;

  /// What B suffers from: other findings are new, and those of B that are not found any more are
  /// listed last, as mended. Null = there is no B. show() brings it about.
  void setCompared(std::shared_ptr<const DetectorReport> compared);
  /// Where the same findings stay in the same rows, only their cells change.
  void show(SnapshotPtr snapshot, const Dismissed& dismissed, const FindingsQuery& query);
  /// Gains that are absent are still being found out.
  void setPending(bool pending);
  bool pending() const { return m_pending; }
  /// Sorts by a column; −1 = the order of the detectors.
  void sort(int column, Qt::SortOrder direction) override;

  const std::vector<Finding>& findings() const;
  /// Of the layers of the snapshot.
  const LayerNames& names() const { return m_names; }
  /// nullptr on a heading, and of what is mended.
  const Finding* finding(const QModelIndex& index) const;
  /// A finding of B that is mended; nullptr on all other rows.
  const Finding* mended(const QModelIndex& index) const;
  std::size_t mendedCount() const { return m_mended.size(); }
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
  QVariant headingData(const QString& title, std::size_t count, int column, int role) const;
  QVariant mendedData(const Finding& finding, int column, int role) const;
  std::set<std::string> newIn(const SnapshotPtr& snapshot) const;
  std::vector<std::size_t> missingIn(const SnapshotPtr& snapshot) const;
  bool isMended(const QModelIndex& heading) const {
    return heading.row() == static_cast<int>(m_groups.size());
  }
  QVariant cell(const Finding& finding, int column) const;
  QVariant shortCell(const Finding& finding, int column) const;
  QString spoken(const Finding& finding, int column, const QVariant& raw) const;
  QString explained(const Finding& finding, int column, const QVariant& raw) const;
  template <class Matches>
  QModelIndex findIf(Matches matches) const;
  std::vector<FindingGroup> grouped(const SnapshotPtr& snapshot) const;
  void regroup();
  template <class Changed>
  void tellRows(Changed changed);

  SnapshotPtr m_snapshot;
  LayerNames m_names;
  Dismissed m_dismissed;
  FindingsQuery m_query;
  FindingOrder m_order = FindingOrder::Report;
  Qt::SortOrder m_direction = Qt::AscendingOrder;
  bool m_pending = false;
  std::vector<FindingGroup> m_groups;
  std::shared_ptr<const DetectorReport> m_compared;
  std::set<std::string> m_new;  // ids
  std::shared_ptr<const DetectorReport> m_mendedOf;
  std::vector<std::size_t> m_mended;  // of its findings
};

}  // namespace quantscope
