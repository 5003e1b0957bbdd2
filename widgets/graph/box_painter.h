#pragma once

#include <QPainter>

#include "widgets/graph/graph_painter.h"

namespace quantscope {

/// One box with all that the level of detail shows of it.
void paintBox(QPainter& painter, const DrawnBox& box, const BoxLook& look, const GraphLooks& looks,
              const GraphDetail& detail);

/// The outline of an expanded scope or opened body, and its title with the button beside it.
void paintFrame(QPainter& painter, const DrawnFrame& frame, const GraphLooks& looks,
                const GraphDetail& detail);
void paintFrameTitle(QPainter& painter, const DrawnFrame& frame, const GraphLooks& looks,
                     const GraphDetail& detail);

/// Radius of a box's corners.
double cornerRadius(const DrawnBox& box);

/// The bar of a precision type: solid for 8 bits, cut into pieces for others, hollow for float.
void paintPrecision(QPainter& painter, const QRectF& bar, QuantType type, const Theme& theme);

}  // namespace quantscope
