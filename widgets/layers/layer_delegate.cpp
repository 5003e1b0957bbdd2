#include "widgets/layers/layer_delegate.h"

#include <QPainter>

#include "widgets/layers/layers_model.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

using Kind = LayerColumn::Kind;

constexpr int kMargin = 8;
constexpr int kBarWidth = 40;

Figure figureOf(const QModelIndex& index, const QVariant& raw) {
  if (raw.isValid()) return {Figure::Kind::Value, raw.toDouble()};
  return {static_cast<Figure::Kind>(index.data(LayersModel::kAbsenceRole).toInt()), 0};
}

}  // namespace

QString LayerDelegate::displayText(const QVariant& value, const QLocale&) const {
  return cellWords(value);
}

void LayerDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  drawRowBackground(*painter, option);
  const auto section = static_cast<std::size_t>(index.column());
  const LayerColumn& column = layerColumns()[section];
  const Theme& theme = Theme::of(option.palette);
  const QVariant raw = index.data(kExactRole);
  const QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  painter->save();
  painter->setFont(option.font);
  if (column.kind == Kind::Name) {
    const std::string name = raw.toString().toStdString();
    drawLayerName(*painter, area, name,
                  index.data(LayersModel::kOperatorRole).toString().toStdString(), theme);
  } else {
    const bool scaled = section < m_scales.size() && m_scales[section];
    const bool gained =
        scaled && m_scales[section]->showsDifferences() && raw.isValid() && raw.toDouble() > 0;
    const QString words = option.fontMetrics.elidedText(
        gained ? u'+' + cellWords(raw) : cellWords(raw), Qt::ElideRight, area.width());
    const bool quiet = !raw.isValid() || column.kind == Kind::Position || !column.isNumber();
    painter->setPen(quiet && column.title != QStringLiteral("Operators") ? theme.mutedText
                                                                         : theme.text);
    painter->drawText(area,
                      Qt::AlignVCenter | Qt::TextSingleLine |
                          (column.isNumber() ? Qt::AlignRight : Qt::AlignLeft),
                      words);
    if (scaled) {
      const int free = area.width() - option.fontMetrics.horizontalAdvance(words) - kMargin;
      const QRectF bar(area.left(), area.top(), std::min(kBarWidth, free), area.height());
      if (bar.width() > 4)
        drawErrorBar(*painter, bar, figureOf(index, raw), *m_scales[section], theme);
    }
  }
  painter->restore();
}

QSize LayerDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QString words = cellWords(index.data(kExactRole));
  int width = option.fontMetrics.horizontalAdvance(words) + 2 * kMargin;
  const auto section = static_cast<std::size_t>(index.column());
  if (section < m_scales.size() && m_scales[section]) width += kBarWidth + kMargin;
  return {width, option.fontMetrics.height() + 8};
}

}  // namespace quantscope
