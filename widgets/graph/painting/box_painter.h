#pragma once

#include <QPainter>

#include "widgets/graph/painting/graph_painter.h"

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

/// The bar of a precision type. Integers are solid, cut into pieces for all but 8 bits; floats are
/// hollow, cut in two for 16 bits and half filled for 8; signs are as many dots as there are codes.
void paintPrecision(QPainter& painter, const QRectF& bar, QuantType type, const Theme& theme);

}  // namespace quantscope
