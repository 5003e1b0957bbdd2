#include "widgets/findings/finding_delegate.h"

#include <QPainter>

#include "base/number_text.h"
#include "widgets/findings/findings_model.h"
#include "widgets/look/elided_lines.h"
#include "widgets/look/severity_sign.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

constexpr int kMargin = 4;
constexpr int kGap = 8;
constexpr int kSign = 10;
constexpr int kFlags = Qt::AlignVCenter | Qt::TextSingleLine;

QString cellText(const QModelIndex& index) {
  if (index.column() == FindingsModel::kGain)
    return index.data(FindingsModel::kGainTextRole).toString();
  const QVariant shortened = index.data(FindingsModel::kShortRole);
  if (shortened.isValid()) return shortened.toString();
  const QVariant raw = index.data(kExactRole);
  return raw.typeId() == QMetaType::Double ? shortText(raw.toDouble()) : raw.toString();
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
  if (index.data(FindingsModel::kNewRole).toBool() && index.column() == FindingsModel::kSentence) {
    area.setRight(area.right() - paintNew(painter, area, theme));
  }
  if (index.column() == FindingsModel::kSentence)
    return paintSentence(painter, area, cellText(index));
  // The end of a name tells more.
  const Qt::TextElideMode elide =
      index.column() == FindingsModel::kLayer ? Qt::ElideLeft : Qt::ElideRight;
  painter.drawText(area, number ? kFlags | Qt::AlignRight : kFlags | Qt::AlignLeft,
                   option.fontMetrics.elidedText(cellText(index), elide, area.width()));
}

// Quietly, behind the sentence. Returns the room that it takes.
int FindingDelegate::paintNew(QPainter& painter, const QRect& area, const Theme& theme) const {
  const QString word = tr("new");
  const QPen pen = painter.pen();
  painter.setPen(theme.mutedText);
  painter.drawText(area, kFlags | Qt::AlignRight, word);
  painter.setPen(pen);
  return painter.fontMetrics().horizontalAdvance(word) + kGap;
}

// Broken into lines, the last of them elided, in the middle of the row.
void FindingDelegate::paintSentence(QPainter& painter, const QRect& area,
                                    const QString& words) const {
  const QStringList lines = elidedLines(words, painter.font(), area.width(), m_lines);
  const int height = painter.fontMetrics().lineSpacing();
  int top = area.center().y() - static_cast<int>(lines.size()) * height / 2;
  for (const QString& line : lines) {
    painter.drawText(QRect(area.left(), top, area.width(), height), kFlags, line);
    top += height;
  }
}

QSize FindingDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  const bool heading = !index.data(FindingsModel::kSeverityRole).isValid();
  const int lines = heading ? 1 : m_lines;
  return {80, (lines - 1) * option.fontMetrics.lineSpacing() + option.fontMetrics.height() + 8};
}

}  // namespace quantscope
