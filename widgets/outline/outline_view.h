#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// The tree of scopes and layers with an error bar each.
class OutlineView : public SnapshotView {
  Q_OBJECT

 public:
  explicit OutlineView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
