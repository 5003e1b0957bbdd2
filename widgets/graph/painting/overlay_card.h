#pragma once

#include <QPainter>
#include <QWidget>

namespace quantscope {

/// The background of overlays on the graph: a card with a hairline around it.
inline constexpr double kOverlayRadius = 6;
void paintOverlayCard(QPainter& painter, const QWidget& widget);

}  // namespace quantscope
