#pragma once

#include <QStringList>

class QFont;

namespace quantscope {

/// The lines of `width` pixels that a text is broken into, `most` at most: text that does not fit
/// ends with "…" in the last one. If all of it fits, the joined lines are the text.
QStringList elidedLines(const QString& text, const QFont& font, int width, int most);

}  // namespace quantscope
