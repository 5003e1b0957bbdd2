#pragma once

#include "widgets/findings/finding_groups.h"
#include "widgets/view/snapshot_view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace quantscope {

class EvidencePane;
class FindingDetail;
class FindingsModel;
class ThresholdForm;

/// What the detectors found: a list, and of the chosen finding the reason, the evidence and what
/// helps. It asks for changes and makes none itself.
class FindingsView : public SnapshotView {
  Q_OBJECT

 public:
  explicit FindingsView(const ViewContext& context, QWidget* parent = nullptr);

  void setDismissed(const Dismissed& dismissed);
  void setQuery(const FindingsQuery& query);
  const FindingsQuery& query() const { return m_query; }
  QTreeView& tree() { return *m_tree; }
  /// The chosen one; nullptr = none.
  const Finding* chosen() const;

  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;
  QSize sizeHint() const override { return {900, 240}; }

 Q_SIGNALS:
  /// `what` names the step for the Edit menu.
  void applyRequested(const std::vector<quantscope::ConfigChange>& changes, const QString& what);
  void dismissRequested(const std::string& id, bool dismiss);
  void thresholdsRequested(const quantscope::DetectorThresholds& thresholds, const QString& what);

 protected:
  void showSnapshot() override;
  void showSelection() override;

 private:
  QLayout* buildBar();
  void buildTree();
  void refill();
  void describe();
  void pick(const QModelIndex& index);
  void showChosen();
  void apply(bool alike);
  std::vector<const Finding*> alike(const Finding& finding) const;
  void showContextMenu(const QPoint& position);

  FindingsModel* m_model;
  QTreeView* m_tree;
  QLineEdit* m_filter;
  QComboBox* m_detector;
  QComboBox* m_grouping;
  QToolButton* m_showDismissed;
  QToolButton* m_thresholds;
  ThresholdForm* m_form;
  QLabel* m_count;
  QLabel* m_empty;
  QStackedWidget* m_pages;
  QSplitter* m_splitter;
  FindingDetail* m_detail;
  EvidencePane* m_evidence;
  FindingsQuery m_query;
  Dismissed m_dismissed;
  std::string m_chosen;  // id
  bool m_following = false;
};

}  // namespace quantscope
