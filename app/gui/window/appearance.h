#pragma once

#include <QObject>

namespace quantscope {

enum class ThemeChoice { System, Light, Dark };

/// How the whole program looks: its style, font and theme. Follows the desktop's wish for dark or
/// light while the choice is System, also when that changes.
class Appearance : public QObject {
  Q_OBJECT

 public:
  static Appearance& instance();

  /// Style, font and the remembered theme; once, after QApplication was made.
  void apply();
  ThemeChoice choice() const { return m_choice; }
  /// Remembered for the next start.
  void choose(ThemeChoice choice);
  /// Only for this run.
  void overrideChoice(ThemeChoice choice);

 Q_SIGNALS:
  void changed();

 private:
  Appearance();
  void applyTheme();

  ThemeChoice m_choice = ThemeChoice::System;
  bool m_systemDark = false;
};

}  // namespace quantscope
