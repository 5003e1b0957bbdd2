#include "desktop_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QFileInfo>
#include <optional>

namespace quantscope {
namespace {

// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kSpace = QStringLiteral("org.freedesktop.appearance");
const QString kAppearanceKey = QStringLiteral("color-scheme");
constexpr uint kDark = 1;
constexpr uint kLight = 2;
constexpr int kPatienceMs = 150;

// Asking where there is no bus would try to start one.
bool hasSessionBus() {
  if (!qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")) return true;
  const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
  return !runtime.isEmpty() && QFileInfo::exists(runtime + QStringLiteral("/bus"));
}

// The answer comes wrapped once or twice.
uint unwrapped(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value.toUInt();
}

std::optional<bool> portalWish() {
  if (!hasSessionBus()) return std::nullopt;
  QDBusMessage question =
      QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  question << kSpace << kAppearanceKey;
  const QDBusMessage answer =
      QDBusConnection::sessionBus().call(question, QDBus::Block, kPatienceMs);
  if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty()) {
    return std::nullopt;
  }
  const uint scheme = unwrapped(answer.arguments().constFirst());
  if (scheme == kDark || scheme == kLight) return scheme == kDark;
  return std::nullopt;
}

}  // namespace

bool desktopPrefersDark(const QPalette& platform) {
  if (const std::optional<bool> wish = portalWish()) return *wish;
  if (qEnvironmentVariable("GTK_THEME").contains(QStringLiteral("dark"), Qt::CaseInsensitive)) {
    return true;
  }
  return platform.color(QPalette::Window).lightness() <
         platform.color(QPalette::WindowText).lightness();
}

DesktopThemeWatch::DesktopThemeWatch(QObject* parent) : QObject(parent) {
  if (!hasSessionBus()) return;
  QDBusConnection::sessionBus().connect(kService, kPath, kInterface,
                                        QStringLiteral("SettingChanged"), this,
                                        SLOT(settingChanged(QString, QString, QDBusVariant)));
}

void DesktopThemeWatch::settingChanged(const QString& space, const QString& key,
                                       const QDBusVariant& value) {
  if (space == kSpace && key == kAppearanceKey) Q_EMIT changed(unwrapped(value.variant()) == kDark);
}

}  // namespace quantscope
