#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// Layers against metrics, samples or channels, coloured by error.
class HeatmapView : public SnapshotView {
  Q_OBJECT

 public:
  explicit HeatmapView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
