#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// Observed and quantized ranges of all values, in execution order.
class RangesView : public SnapshotView {
  Q_OBJECT

 public:
  explicit RangesView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
