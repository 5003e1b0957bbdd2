#pragma once

#include <QPainter>
#include <QWidget>

namespace quantscope {

/// Of what opens over the window.
inline constexpr double kCardRadius = 8;

/// Fills a widget as a card with a hairline around it.
void paintCard(QPainter& painter, const QWidget& widget, const QColor& ground, double radius);

}  // namespace quantscope
