#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// The table of all layers: every metric, parameters, types and ranges.
class LayersView : public SnapshotView {
  Q_OBJECT

 public:
  explicit LayersView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
