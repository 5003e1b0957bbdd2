#pragma once

#include <QPainter>

#include "widgets/graph/painting/graph_painter.h"

namespace quantscope {

/// Where the badge of a box is that counts its findings, in scene pixels: on the upper right
/// corner, the larger the farther away. Empty where there are none, or where it could not be told
/// from the box any more.
QRectF badgeRect(const DrawnBox& box, const FindingSum& findings, const GraphDetail& detail);

/// The sign and colour of the worst severity, and near by the number.
void paintBadge(QPainter& painter, const DrawnBox& box, const BoxLook& look,
                const GraphLooks& looks, const GraphDetail& detail);

}  // namespace quantscope
