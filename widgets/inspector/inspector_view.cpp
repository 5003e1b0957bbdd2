#include "widgets/inspector/inspector_view.h"

namespace quantscope {

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent) {}

void InspectorView::showSnapshot() {}

}  // namespace quantscope
