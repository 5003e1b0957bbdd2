#pragma once

#include <QIcon>
#include <QString>

namespace quantscope {

/// One of the drawings in resources/icons, by its file's name without ending. It is painted in the
/// colours of the application's palette at the moment, so that it follows the theme by itself, and
/// sharp at every scale. Checked = accent, disabled = faint.
QIcon icon(const QString& name);

/// The program's own icon, in its own colours.
QIcon programIcon();

}  // namespace quantscope
