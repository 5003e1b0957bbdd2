#include "widgets/layers/layers_view.h"

namespace quantscope {

LayersView::LayersView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent) {}

void LayersView::showSnapshot() {}

}  // namespace quantscope
