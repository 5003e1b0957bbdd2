#pragma once

#include <QSettings>

namespace quantscope {

/// The settings that the program keeps for its user.
inline QSettings openSettings() {
  return QSettings(QStringLiteral("quantscope"), QStringLiteral("quantscope"));
}

}  // namespace quantscope
