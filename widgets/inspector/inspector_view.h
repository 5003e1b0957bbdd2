#pragma once

#include <memory>
#include <vector>

#include "precision/edits/config_edit.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QScrollArea;

namespace quantscope {

class GroupSection;
class InspectorSection;
class SampleReader;

/// All that is known of what is selected, in sections that open and close.
class InspectorView : public SnapshotView {
  Q_OBJECT

 public:
  explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);

  /// What is joined and parted by hand in the configuration that is asked for.
  void setSharing(const HandSharing& sharing);

  /// Which sections are open; for the window's settings.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// By the user. `what` names the step for the Edit menu.
  void editRequested(const quantscope::ConfigEdit& edit);

 protected:
  void showSnapshot() override;
  void showSelection() override;

 private:
  void addSection(InspectorSection* section);
  void addSections();

  std::shared_ptr<const LayerIndex> m_index;
  QScrollArea* m_scroll;
  QWidget* m_content;
  QLabel* m_empty;
  SampleReader* m_reader;
  GroupSection* m_group;
  std::vector<InspectorSection*> m_sections;
};

}  // namespace quantscope
