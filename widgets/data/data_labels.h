#pragma once

#include <QLabel>
#include <QPixmap>

namespace quantscope {

/// A muted label for captions and explanations; wraps.
QLabel* mutedLabel(const QString& text, QWidget* parent);
/// A section's heading.
QLabel* headingLabel(const QString& text, QWidget* parent);
/// Gives a label the colour of what must be mended.
void setCritical(QLabel* label);

enum class Mark { Good, Bad, Warning, Open };
/// A tick, a cross, a triangle, a dash: the shape says it without the colour.
QPixmap markPixmap(Mark mark, const QPalette& palette, qreal pixelRatio);

}  // namespace quantscope
