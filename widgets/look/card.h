#pragma once

#include <QPainter>
#include <QWidget>

namespace quantscope {

/// Corner radius of popups over the window.
inline constexpr double kCardRadius = 8;

/// Fills a widget as a card with a hairline around it.
void paintCard(QPainter& painter, const QWidget& widget, const QColor& ground, double radius);

}  // namespace quantscope
