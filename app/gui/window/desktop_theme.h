#pragma once

#include <QObject>
#include <QPalette>

class QDBusVariant;

namespace quantscope {

/// True if the desktop prefers dark windows: by its settings portal, else by GTK_THEME or the
/// palette of the platform. Answers within a fraction of a second.
bool desktopPrefersDark(const QPalette& platform);

/// Tells when the desktop's wish changes.
class DesktopThemeWatch : public QObject {
  Q_OBJECT

 public:
  explicit DesktopThemeWatch(QObject* parent);

 Q_SIGNALS:
  void changed(bool dark);

 private Q_SLOTS:
  void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);
};

}  // namespace quantscope
