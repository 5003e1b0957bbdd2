#pragma once

#include <QStringList>

class QFont;

namespace quantscope {

/// The lines of `width` pixels that a text is broken into, `most` at most: what does not fit into
/// them is told by "…" at the end of the last one. Joined they are the text where all of it fits.
QStringList elidedLines(const QString& text, const QFont& font, int width, int most);

}  // namespace quantscope
