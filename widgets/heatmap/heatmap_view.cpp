#include "widgets/heatmap/heatmap_view.h"

namespace quantscope {

HeatmapView::HeatmapView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent) {}

void HeatmapView::showSnapshot() {}

}  // namespace quantscope
