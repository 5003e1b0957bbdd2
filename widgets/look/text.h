#pragma once

#include <QString>
#include <optional>
#include <string>
#include <string_view>

namespace quantscope {

/// The core's UTF-8 as Qt's text.
inline QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// With a capital letter at the start, as a sentence has it.
QString capitalized(QString words);

/// Words with names of a model in them, as a tool tip takes them: what would read as HTML is shown
/// as it is.
QString toolTipText(const QString& plain);
/// Text for menus and buttons: ampersands as they are, and none that marks a key.
QString menuText(QString plain);

/// Three significant digits, as all tables show numbers; "–" where there is none.
QString shortText(const std::optional<double>& value);
/// The number with as many digits as are needed to read it back; "–" if there is none.
QString exactText(const std::optional<double>& value);
/// "31.2 dB"; the unit is left out where there is no value.
QString withUnit(const std::optional<double>& value, const QString& unit);

/// So many digits behind the point, with a minus sign, not a hyphen; "∞", "−∞".
QString fixedText(double value, int decimals);

/// The last part of a path.
QString fileName(const std::string& path);

}  // namespace quantscope
