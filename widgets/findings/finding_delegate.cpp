#include "widgets/findings/finding_delegate.h"

#include <QPainter>

#include "export/number_text.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/severity_sign.h"
#include "widgets/layers/row_looks.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMargin = 4;
constexpr int kGap = 8;
constexpr int kSign = 10;
constexpr int kFlags = Qt::AlignVCenter | Qt::TextSingleLine;

QString cellText(const QModelIndex& index) {
  const QVariant raw = index.data(kExactRole);
  if (!raw.isValid()) return QStringLiteral("–");
  if (raw.typeId() != QMetaType::Double) return raw.toString();
  const QString number = shortText(raw.toDouble());
  return index.column() == FindingsModel::kGain && raw.toDouble() > 0 ? u'+' + number : number;
}

}  // namespace

void FindingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  painter->save();
  painter->setFont(option.font);
  drawRowBackground(*painter, option);
  if (index.data(FindingsModel::kSeverityRole).isValid()) {
    paintCell(*painter, option, index);
  } else if (index.column() == FindingsModel::kSentence) {
    paintHeading(*painter, option, index);
  }
  painter->restore();
}

void FindingDelegate::paintHeading(QPainter& painter, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  QFont font = option.font;
  font.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(font);
  QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  const QString title = metrics.elidedText(index.data().toString(), Qt::ElideMiddle, area.width());
  painter.setFont(font);
  painter.setPen(theme.text);
  painter.drawText(area, kFlags, title);
  area.setLeft(area.left() + metrics.horizontalAdvance(title) + kGap);
  painter.setFont(option.font);
  painter.setPen(theme.mutedText);
  painter.drawText(area, kFlags,
                   text(grouped(index.data(FindingsModel::kCountRole).toULongLong())));
}

void FindingDelegate::paintCell(QPainter& painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  const bool aside = index.data(FindingsModel::kDismissedRole).toBool();
  QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  if (index.column() == FindingsModel::kSentence) {
    const QRect sign(area.left(), area.top(), kSign, area.height());
    painter.setOpacity(aside ? 0.4 : 1);
    drawSeverity(painter, sign,
                 static_cast<Severity>(index.data(FindingsModel::kSeverityRole).toInt()), theme);
    painter.setOpacity(1);
    area.setLeft(area.left() + kSign + kGap);
  }
  const bool number = index.column() >= FindingsModel::kStatistic;
  const bool quiet =
      aside || index.column() == FindingsModel::kThreshold || !index.data(kExactRole).isValid();
  painter.setPen(quiet ? theme.mutedText : theme.text);
  const Qt::TextElideMode elide =
      index.column() == FindingsModel::kLayer ? Qt::ElideMiddle : Qt::ElideRight;
  painter.drawText(area, number ? kFlags | Qt::AlignRight : kFlags | Qt::AlignLeft,
                   option.fontMetrics.elidedText(cellText(index), elide, area.width()));
}

QSize FindingDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& /*index*/) const {
  return {80, option.fontMetrics.height() + 8};
}

}  // namespace quantscope
