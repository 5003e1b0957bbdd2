#pragma once

#include <QTimer>
#include <deque>
#include <memory>
#include <vector>

#include "jobs/analysis/config_gains.h"
#include "precision/edits/config_edit.h"
#include "widgets/inspector/parts/inspector_subject.h"
#include "widgets/view/error_causes.h"
#include "widgets/view/known_advice.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QScrollArea;

namespace quantscope {

class DistributionSection;
class GroupSection;
class HeaderSection;
class InspectorBar;
class InspectorSection;
class NextChangeSection;
class SampleReader;

/// The facts about the selection, in sections that open and close.
class InspectorView : public SnapshotView {
  Q_OBJECT

 public:
  explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);

  /// Sets the manual merges and splits of the requested configuration.
  void setSharing(const HandSharing& sharing);

  /// Sets the known causes of a result's errors.
  void setCauses(const ErrorCausesPtr& causes);

  /// Sets the known advice for a result.
  void setAdvice(const KnownAdvicePtr& advice);
  /// Shows what the search for the most helpful change does, and whether the user has stopped it.
  void setAdviceProgress(const QString& words);
  void setAdviceStopped(bool stopped);

  /// Sets the gain of the outputs by the range that is being dragged.
  void setForeseen(const ConfigGain& gain);

  /// The open sections; for the window's settings.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The user has requested an edit. Its sentence names the step for the Edit menu.
  void editRequested(const quantscope::ConfigEdit& edit);
  /// The user wants the most helpful change.
  void nextChangeRequested();
  /// The user wants the search for that change to end, or to begin again.
  void adviceStopRequested();
  void adviceStartRequested();
  /// The user wants to repair the model, or the layer that is shown.
  void repairRequested();
  void layerRepairRequested();
  /// While a range is dragged: the configuration that it would be.
  void foreseeRequested(const quantscope::Configuration& config);

 protected:
  void showSnapshot() override;
  void showSelection() override;
  bool showsOther() const override { return true; }
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showBar();
  std::vector<InspectorSection*> titledSections() const;
  void scrollTo(const InspectorSection& section);
  void addSection(InspectorSection* section);
  void addSections();
  void showSections(const std::vector<InspectorSection*>& sections);
  std::vector<InspectorSection*> sectionsInSight() const;
  void showRest();
  void showGroup();

  std::shared_ptr<const LayerIndex> m_index;
  QScrollArea* m_scroll;
  QWidget* m_content;
  InspectorBar* m_bar;
  QLabel* m_empty;
  SampleReader* m_reader;
  HeaderSection* m_header = nullptr;
  GroupSection* m_group;
  NextChangeSection* m_next = nullptr;
  DistributionSection* m_distribution = nullptr;
  std::vector<InspectorSection*> m_sections;
  std::deque<InspectorSection*> m_rest;  // out of sight, they show the subject before
  QTimer m_turn;
  InspectorSubject m_subject;
  ErrorCausesPtr m_causes;
  KnownAdvicePtr m_advice;
};

}  // namespace quantscope
