#pragma once

#include <QSet>

#include "repair/fitting_steps.h"
#include "widgets/view/known_advice.h"
#include "widgets/view/known_fitting_gains.h"
#include "widgets/view/snapshot_view.h"
#include "widgets/words/finding_groups.h"

class QLabel;
class QMenu;
class QModelIndex;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace quantscope {

class EvidencePane;
class AcceptButton;
class FindingActions;
class FindingDelegate;
class FindingDetail;
class FindingFilters;
class FindingsModel;
class ThresholdForm;

/// The findings of the detectors: a list, and for the chosen finding the reason, the evidence and
/// the remedy. The view requests changes and makes none itself.
class FindingsView : public SnapshotView {
  Q_OBJECT

 public:
  explicit FindingsView(const ViewContext& context, QWidget* parent = nullptr);

  void setDismissed(const Dismissed& dismissed);
  /// An analysis runs: gains that are absent may still come.
  void setRunning(bool running);
  /// Sets the known joint effect of the suggestions; null = not known yet.
  void setAdvice(const KnownAdvicePtr& advice);
  /// Sets what repairs win that act on faults, as far as it is known.
  void setFittingGains(const KnownFittingGainsPtr& gains);
  /// What B suffers from; null = there is no B.
  void setCompared(const std::shared_ptr<const DetectorReport>& compared);
  void setQuery(const FindingsQuery& query);
  const FindingsQuery& query() const { return m_query; }
  /// Lists the findings of one part alone, and chooses the first of them.
  void showPlace(const FindingsPlace& place);
  /// Chooses a finding and selects its layer; what hides it from the list is cleared.
  void choose(const std::string& id);
  /// Goes to the listed finding that is `by` places after the chosen one.
  void step(int by);
  QTreeView& tree() { return *m_tree; }
  /// The actions on the chosen finding, for the window's menus.
  QList<QAction*> findingActions() const;
  /// The chosen one; nullptr = none.
  const Finding* chosen() const;

  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;
  QSize sizeHint() const override { return {900, 260}; }

 Q_SIGNALS:
  /// `what` names the step for the Edit menu.
  void applyRequested(const std::vector<quantscope::ConfigChange>& changes, const QString& what);
  void acceptAllRequested();
  void dismissRequested(const std::string& id, bool dismiss);
  void thresholdsRequested(const quantscope::DetectorThresholds& thresholds, const QString& what);
  /// Another finding is chosen, or none.
  void chosenChanged();
  /// The user wants this repair to be offered.
  void repairRequested(const quantscope::FittingRepair& repair);
  void dataRequested();
  void runRequested();

 protected:
  bool showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const override;
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLayout* buildBar();
  QWidget* buildEmptyPage();
  void buildTree();
  void connectActions();
  void refill();
  void unfold();
  void shareRoom();
  void describe();
  void describeAdvice();
  std::size_t dismissedCount() const;
  void offer(const QString& sentence, const QString& remedy, void (FindingsView::*take)());
  void showDismissed();
  void clearFilter();
  void pick(const QModelIndex& index);
  void selectLayer(NodeId node, int channel);
  bool isAbout(NodeId node) const;
  void follow(const QModelIndex& index);
  void showChosen();
  /// What can be tried now; nothing = nothing acts on it, or there is no complete result.
  std::optional<FittingRepair> repairOf(const Finding* finding) const;
  void goToChosen();
  void apply();
  void applyAlike();
  void dismiss();
  void copyChosen();
  /// The findings that can be applied together with it: of the same detector, listed, without loss.
  std::vector<const Finding*> alike(const Finding& finding) const;
  void showOnlyLayer();
  void showOnlyScope();
  void showOnlyDetector();
  void showContextMenu(const QPoint& position);

  FindingsModel* m_model;
  QTreeView* m_tree;
  FindingDelegate* m_delegate;
  FindingActions* m_actions;
  FindingFilters* m_filters;
  AcceptButton* m_acceptAll;
  QToolButton* m_thresholds;
  ThresholdForm* m_form;
  QLabel* m_count;
  QLabel* m_empty;
  QPushButton* m_remedy;
  void (FindingsView::*m_take)() = nullptr;  // applies the remedy
  QStackedWidget* m_pages;
  QSplitter* m_splitter;
  FindingDetail* m_detail;
  EvidencePane* m_evidence;
  FindingsQuery m_query;
  Dismissed m_dismissed;
  std::string m_chosen;                  // id
  std::string m_described;               // the one that the detail shows
  NodeId m_visited;                      // the layer that its detail was last asked for
  QSet<QString> m_folded;                // titles of groups
  std::shared_ptr<const Graph> m_graph;  // graph of the query
  KnownAdvicePtr m_advice;
  KnownFittingGainsPtr m_fitting;
  std::shared_ptr<const DetectorReport> m_compared;
  bool m_running = false;
  bool m_following = false;
};

}  // namespace quantscope
