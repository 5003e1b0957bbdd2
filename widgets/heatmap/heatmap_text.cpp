#include "widgets/heatmap/heatmap_text.h"

#include <QLocale>
#include <QStringList>

#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

QString paragraph(const QString& words) {
  return QStringLiteral("<p>") + words.toHtmlEscaped() + QStringLiteral("</p>");
}

QString groupDefinition(const HeatmapData& data, int column) {
  for (const HeatmapGroup& group : data.heading().groups) {
    if (column >= group.first && column < group.first + group.count) return group.definition;
  }
  return {};
}

}  // namespace

QString cellWords(const HeatmapData& data, int row, int column, Digits digits) {
  const std::optional<Figure> figure = data.figure(row, column);
  if (!figure) return tr("the layer has no such %1").arg(data.heading().noun);
  if (figure->kind != Figure::Kind::Value) return absenceText(figure->kind);
  const QString unit = text(data.measure(column).scale.metric().unit);
  const QString number =
      digits == Digits::All ? exactText(figure->value) : shortText(figure->value);
  return unit.isEmpty() ? number : number + u' ' + unit;
}

QString heatmapTip(const HeatmapData& data, int row, int column) {
  QString tip;
  if (row >= 0) {
    const HeatmapRow& head = data.row(row);
    tip += QStringLiteral("<b>") + head.tip.toHtmlEscaped() + QStringLiteral("</b><br>") +
           head.op.toHtmlEscaped();
  }
  if (column < 0) return tip;
  const QString name = capitalized(data.columnName(column));
  if (row >= 0) {
    tip += paragraph(name + QStringLiteral(": ") + cellWords(data, row, column, Digits::All));
  } else {
    tip += QStringLiteral("<b>") + name.toHtmlEscaped() + QStringLiteral("</b>");
  }
  tip += paragraph(data.measure(column).definition) + paragraph(groupDefinition(data, column));
  if (row < 0) tip += paragraph(tr("Click to sort: worst first, best first, execution order."));
  return tip;
}

QString cornerTip(const HeatmapData& data) {
  const HeatmapColumns& heading = data.heading();
  const QString rows = heading.ofChannels ? tr("channels") : tr("layers");
  return heading.key >= 0
             ? tr("Click to sort the %1 by %2: worst first, best first, execution order.")
                   .arg(rows, data.columnName(heading.key))
             : tr("Click to sort the %1 by their worst %2: worst first, best first, in order.")
                   .arg(rows, heading.noun);
}

QString heatmapText(const HeatmapData& data, std::span<const int> rows) {
  const bool ofChannels = data.heading().ofChannels;
  QStringList head =
      ofChannels ? QStringList{tr("Channel")} : QStringList{tr("Layer"), tr("Operators")};
  for (int column = 0; column < data.columns(); ++column) {
    const QString unit = text(data.measure(column).scale.metric().unit);
    const QString name = data.columnName(column);
    head << (unit.isEmpty() ? name : name + QStringLiteral(" (") + unit + u')');
  }
  QString result = head.join(u'\t') + u'\n';
  for (const int row : rows) {
    QStringList cells{data.row(row).tip};
    if (!ofChannels) cells << data.row(row).op;
    for (int column = 0; column < data.columns(); ++column) {
      const std::optional<Figure> figure = data.figure(row, column);
      if (!figure) {
        cells << QString();
      } else if (figure->kind == Figure::Kind::Value) {
        cells << QString::number(figure->value, 'g', QLocale::FloatingPointShortest);
      } else {
        cells << absenceText(figure->kind);
      }
    }
    result += cells.join(u'\t') + u'\n';
  }
  return result;
}

}  // namespace quantscope
