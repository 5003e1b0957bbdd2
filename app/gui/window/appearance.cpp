#include "appearance.h"

#include <QApplication>
#include <QFontDatabase>

#include "desktop_theme.h"
#include "settings.h"
#include "widgets/look/calm_style.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

const QString kKey = QStringLiteral("theme");

QString nameOf(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::Light:
      return QStringLiteral("light");
    case ThemeChoice::Dark:
      return QStringLiteral("dark");
    default:
      return QStringLiteral("system");
  }
}

// Without a desktop, Qt falls back to 9 pt of any font called Sans Serif.
void applyFont() {
  if (!qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP")) return;
  const QString family = QStringLiteral("Open Sans");
  if (QFontDatabase::hasFamily(family)) QApplication::setFont(QFont(family, 10));
}

}  // namespace

Appearance& Appearance::instance() {
  static Appearance appearance;
  return appearance;
}

Appearance::Appearance() {
  const QString name = openSettings().value(kKey).toString();
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    if (name == nameOf(choice)) m_choice = choice;
  }
}

void Appearance::apply() {
  m_systemDark = desktopPrefersDark(QApplication::palette());
  auto* watch = new DesktopThemeWatch(this);
  connect(watch, &DesktopThemeWatch::changed, this, [this](bool dark) {
    m_systemDark = dark;
    applyTheme();
  });
  applyFont();
  QApplication::setStyle(new CalmStyle);
  applyTheme();
}

void Appearance::choose(ThemeChoice choice) {
  openSettings().setValue(kKey, nameOf(choice));
  overrideChoice(choice);
}

void Appearance::overrideChoice(ThemeChoice choice) {
  m_choice = choice;
  applyTheme();
}

void Appearance::applyTheme() {
  const bool dark =
      m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemDark);
  QApplication::setPalette((dark ? Theme::night() : Theme::day()).palette());
  Q_EMIT changed();
}

}  // namespace quantscope
