#pragma once

#include "widgets/view/snapshot_view.h"

namespace quantscope {

/// The network as a layered drawing, coloured by error.
class GraphView : public SnapshotView {
  Q_OBJECT

 public:
  explicit GraphView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
};

}  // namespace quantscope
