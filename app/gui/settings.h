#pragma once

#include <QSettings>

namespace quantscope {

/// What the program remembers of its user.
inline QSettings openSettings() {
  return QSettings(QStringLiteral("quantscope"), QStringLiteral("quantscope"));
}

}  // namespace quantscope
