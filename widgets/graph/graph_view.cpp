#include "widgets/graph/graph_view.h"

namespace quantscope {

GraphView::GraphView(const ViewContext& context, QWidget* parent) : SnapshotView(context, parent) {}

void GraphView::showSnapshot() {}

}  // namespace quantscope
