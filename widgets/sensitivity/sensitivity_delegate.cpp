#include "widgets/sensitivity/sensitivity_delegate.h"

#include <QPainter>

#include "widgets/sensitivity/sensitivity_model.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

constexpr int kMargin = 8;
constexpr int kBarWidth = 72;

bool isDecibels(int column) {
  return column == SensitivityModel::kWorst || column >= SensitivityModel::kFirstOutput;
}

}  // namespace

// The first metric of the catalogue is SQNR.
SensitivityDelegate::SensitivityDelegate(QObject* parent)
    : QStyledItemDelegate(parent), m_scale(metricCatalogue().front(), {}, false) {}

QString SensitivityDelegate::displayText(const QVariant& value, const QLocale&) const {
  return cellWords(value);
}

void SensitivityDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  drawRowBackground(*painter, option);
  const Theme& theme = Theme::of(option.palette);
  const QVariant raw = index.data(kExactRole);
  const QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  const bool waits = index.data(SensitivityModel::kWaitsRole).toBool();
  painter->save();
  painter->setFont(option.font);
  if (index.column() == SensitivityModel::kName) {
    drawLayerName(*painter, area, raw.toString().toStdString(),
                  index.data(SensitivityModel::kOperatorRole).toString().toStdString(), theme);
    return painter->restore();
  }
  const bool guessed = waits && isDecibels(index.column()) && raw.isValid();
  const QString words = guessed ? QStringLiteral("≈ ") + cellWords(raw) : cellWords(raw);
  painter->setPen(waits || !raw.isValid() ? theme.mutedText : theme.text);
  painter->drawText(
      area, Qt::TextSingleLine | static_cast<int>(index.data(Qt::TextAlignmentRole).toInt()),
      words);
  const int free = area.width() - option.fontMetrics.horizontalAdvance(words) - kMargin;
  const QRectF bar(area.left(), area.top(), std::min(kBarWidth, free), area.height());
  if (isDecibels(index.column()) && raw.isValid() && bar.width() > 4) {
    if (waits) painter->setOpacity(0.5);
    drawErrorBar(*painter, bar, {Figure::Kind::Value, raw.toDouble()}, m_scale, theme);
  }
  painter->restore();
}

}  // namespace quantscope
