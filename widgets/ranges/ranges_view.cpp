#include "widgets/ranges/ranges_view.h"

namespace quantscope {

RangesView::RangesView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent) {}

void RangesView::showSnapshot() {}

}  // namespace quantscope
