#include "widgets/data/number_list.h"

#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <cmath>

namespace quantscope {
namespace {

// Fractions of at most this length stay: 0.25 reads better than 1/4, but 1/255 better than its
// digits.
constexpr qsizetype kReadableDigits = 7;

std::optional<double> parseNumber(const QString& text) {
  const QStringList parts = text.split(u'/');
  if (parts.size() > 2) return {};
  bool valid = false;
  double number = parts[0].toDouble(&valid);
  if (valid && parts.size() == 2) number /= parts[1].toDouble(&valid);
  return valid && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

QString shortest(double number) {
  return QString::number(number, 'g', QLocale::FloatingPointShortest);
}

QString numberText(double number) {
  const QString plain = shortest(number);
  if (plain.size() <= kReadableDigits) return plain;
  const QString reciprocal = QStringLiteral("1/") + shortest(1 / number);
  return reciprocal.size() < plain.size() && parseNumber(reciprocal) == number ? reciprocal : plain;
}

}  // namespace

std::optional<std::vector<double>> parseNumbers(const QString& text) {
  static const QRegularExpression kSeparators(QStringLiteral("[\\s,;]+"));
  std::vector<double> numbers;
  QString plain = text;
  plain.replace(QChar(0x2212), u'-');  // a minus sign copied from a page
  for (const QString& part : plain.split(kSeparators, Qt::SkipEmptyParts)) {
    const std::optional<double> number = parseNumber(part);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

QString numbersText(const std::vector<double>& numbers) {
  QStringList parts;
  for (const double number : numbers) parts << numberText(number);
  return parts.join(QStringLiteral(", "));
}

}  // namespace quantscope
