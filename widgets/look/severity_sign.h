#pragma once

#include <QColor>
#include <QRectF>

#include "detectors/findings/finding.h"

class QPainter;

namespace quantscope {

struct Theme;

/// The sign of a severity in its colour, each of its own shape: a ring, a triangle, a filled disc.
void drawSeverity(QPainter& painter, const QRectF& area, Severity severity, const Theme& theme);

/// Its colour.
QColor colourOf(Severity severity, const Theme& theme);

}  // namespace quantscope
