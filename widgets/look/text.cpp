#include "widgets/look/text.h"

#include <QFileInfo>
#include <QTextDocument>
#include <cmath>

#include "base/number_text.h"

namespace quantscope {

QString capitalized(QString words) {
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
}

QString toolTipText(const QString& plain) {
  return Qt::mightBeRichText(plain) ? Qt::convertFromPlainText(plain) : plain;
}

QString shortText(const std::optional<double>& value) {
  return text(shortNumber(value));
}

QString exactText(const std::optional<double>& value) {
  return value ? text(exactNumber(*value)) : QStringLiteral("–");
}

QString withUnit(const std::optional<double>& value, const QString& unit) {
  const QString number = shortText(value);
  return value && !unit.isEmpty() ? number + u' ' + unit : number;
}

QString fixedText(double value, int decimals) {
  if (!std::isfinite(value)) return shortText(value);
  return QString::number(value, 'f', decimals).replace(u'-', u'−');
}

QString fileName(const std::string& path) {
  return QFileInfo(text(path)).fileName();
}

QString menuText(QString plain) {
  return plain.replace(u'&', QStringLiteral("&&"));
}

}  // namespace quantscope
