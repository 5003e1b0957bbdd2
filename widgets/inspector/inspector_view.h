#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// All that is known of what is selected.
class InspectorView : public SnapshotView {
  Q_OBJECT

 public:
  explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
