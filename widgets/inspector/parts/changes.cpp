#include "widgets/inspector/parts/changes.h"

#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

std::optional<double> change(const std::optional<double>& a, const std::optional<double>& b) {
  const auto figure = [](const std::optional<double>& number) {
    return number ? Figure{Figure::Kind::Value, *number} : Figure();
  };
  const Figure difference = differenceOf(figure(a), figure(b));
  if (difference.kind != Figure::Kind::Value) return std::nullopt;
  return difference.value;
}

QString signedText(double number) {
  return (number > 0 ? QStringLiteral("+") : QString()) + shortText(number);
}

}  // namespace

Cell changeCell(const std::optional<double>& a, const std::optional<double>& b,
                const QString& unit) {
  const std::optional<double> difference = change(a, b);
  Cell cell = numberCell(difference, unit);
  if (difference) cell.text = signedText(*difference);
  return cell;
}

QString changeWords(const std::optional<double>& a, const std::optional<double>& b) {
  const std::optional<double> difference = change(a, b);
  if (!difference || *difference == 0) return {};
  return QStringLiteral(" (%1)").arg(signedText(*difference));
}

void addChangeHeader(CellTableContent& table, const QString& figure) {
  table.headers << tr("A − B");
  table.headerTips << tr("%1 under the shown configuration less that under B").arg(figure);
}

Cell mutedChange(const std::optional<double>& a, const std::optional<double>& b,
                 const QString& unit) {
  Cell cell = changeCell(a, b, unit);
  cell.muted = true;
  return cell;
}

}  // namespace quantscope
