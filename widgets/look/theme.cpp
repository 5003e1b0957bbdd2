#include "widgets/look/theme.h"

namespace quantscope {
namespace {

Theme makeDay() {
  Theme theme;
  theme.dark = false;
  theme.window = QColor(0xF3F4F6);
  theme.surface = QColor(0xFFFFFF);
  theme.raised = QColor(0xFAFBFC);
  theme.border = QColor(0xD5DAE1);
  theme.text = QColor(0x1B2129);
  theme.mutedText = QColor(0x56616E);
  theme.accent = QColor(0x3B5BDB);
  theme.onAccent = QColor(0xFFFFFF);
  theme.edge = QColor(0x9AA5B1);
  theme.info = QColor(0x2B6CB0);
  theme.warning = QColor(0x9A5B00);
  theme.critical = QColor(0xB4232C);
  theme.hatch = QColor(0xA9B2BD);
  return theme;
}

Theme makeNight() {
  Theme theme;
  theme.dark = true;
  theme.window = QColor(0x14171B);
  theme.surface = QColor(0x1A1E23);
  theme.raised = QColor(0x23282F);
  theme.border = QColor(0x363D47);
  theme.text = QColor(0xE7EAEE);
  theme.mutedText = QColor(0x9BA6B3);
  theme.accent = QColor(0x8AA4FF);
  theme.onAccent = QColor(0x10131A);
  theme.edge = QColor(0x66717E);
  theme.info = QColor(0x7DB3E8);
  theme.warning = QColor(0xE0A94A);
  theme.critical = QColor(0xF0717A);
  theme.hatch = QColor(0x58626E);
  return theme;
}

}  // namespace

const Theme& Theme::day() {
  static const Theme theme = makeDay();
  return theme;
}

const Theme& Theme::night() {
  static const Theme theme = makeNight();
  return theme;
}

const Theme& Theme::of(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128 ? night() : day();
}

QPalette Theme::palette() const {
  QPalette palette(window);
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, surface);
  palette.setColor(QPalette::AlternateBase, raised);
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::PlaceholderText, mutedText);
  palette.setColor(QPalette::Button, raised);
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, critical);
  palette.setColor(QPalette::Highlight, accent);
  palette.setColor(QPalette::HighlightedText, onAccent);
  palette.setColor(QPalette::Link, accent);
  palette.setColor(QPalette::LinkVisited, accent);
  palette.setColor(QPalette::ToolTipBase, raised);
  palette.setColor(QPalette::ToolTipText, text);
  palette.setColor(QPalette::Mid, border);
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, hatch);
  }
  return palette;
}

QColor Theme::selected() const {
  constexpr double kTint = 0.2;
  const auto mix = [](int base, int tint) {
    return static_cast<int>(base + kTint * (tint - base));
  };
  return {mix(surface.red(), accent.red()), mix(surface.green(), accent.green()),
          mix(surface.blue(), accent.blue())};
}

// Integers run from teal over violet to plum as they get narrower, those without a sign lie beside
// their twins; floats are greens, signs brown.
QColor Theme::precision(QuantType type) const {
  if (isSignCode(type)) return dark ? QColor(0xCFA288) : QColor(0x7D4A32);
  const int bits = bitWidth(type);
  if (isFloatFormat(type)) {
    if (bits == 16) return dark ? QColor(0xA5CC62) : QColor(0x5B8017);
    return dark ? QColor(0x62A845) : QColor(0x2E5E14);
  }
  switch (bits) {
    case 16:
      if (!isSigned(type)) return dark ? QColor(0x6FC3E8) : QColor(0x2C8FA8);
      return dark ? QColor(0x5CC2B4) : QColor(0x0F8577);
    case 8:
      if (!isSigned(type)) return dark ? QColor(0xDA92FF) : QColor(0xA23BD6);
      return dark ? QColor(0xA08BF0) : QColor(0x6B4FD0);
    case 4:
      if (!isSigned(type)) return dark ? QColor(0xFF8A9E) : QColor(0xD0306A);
      return dark ? QColor(0xE58AC8) : QColor(0xB0308A);
    case 2:
      if (!isSigned(type)) return dark ? QColor(0xFFC0AE) : QColor(0x931F38);
      return dark ? QColor(0xF2B8DC) : QColor(0x7A1E5E);
    default:
      return dark ? QColor(0x7F8A97) : QColor(0x7A8490);
  }
}

QColor faint(QColor colour, double opacity) {
  colour.setAlphaF(static_cast<float>(opacity));
  return colour;
}

}  // namespace quantscope
