#include "widgets/outline/outline_view.h"

namespace quantscope {

OutlineView::OutlineView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent) {}

void OutlineView::showSnapshot() {}

}  // namespace quantscope
