#pragma once

#include <QString>

class QFont;

namespace quantscope {

/// What of a text fits into so many lines of `width` pixels; what is cut off is told by "…".
QString elidedLines(const QString& text, const QFont& font, int width, int lines);

}  // namespace quantscope
