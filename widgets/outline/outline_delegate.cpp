#include "widgets/outline/outline_delegate.h"

#include <QPainter>
#include <algorithm>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_model.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

constexpr int kMargin = 4;
constexpr int kGap = 8;
constexpr int kFlags = Qt::AlignVCenter | Qt::TextSingleLine;

// Without room for all of "depthwise/conv", its end goes first where it only repeats the operator.
QString shownLabel(const QString& label, const QString& operators, const QFontMetrics& metrics,
                   int width) {
  QString shown = label;
  const qsizetype slash = label.lastIndexOf(u'/');
  const bool repeats =
      slash > 0 && operators.startsWith(label.sliced(slash + 1), Qt::CaseInsensitive);
  if (repeats && metrics.horizontalAdvance(label) > width) shown.truncate(slash);
  return metrics.elidedText(shown, Qt::ElideMiddle, width);
}

}  // namespace

void OutlineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  painter->save();
  painter->setFont(option.font);
  drawRowBackground(*painter, option);
  if (index.column() == OutlineModel::kName) {
    paintName(*painter, option, index);
  } else {
    paintFigure(*painter, option, index);
  }
  painter->restore();
}

void OutlineDelegate::paintName(QPainter& painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  const QVariant count = index.data(OutlineModel::kLayerCount);
  const QString label = index.data().toString();
  QString note = index.data(OutlineModel::kOperators).toString();
  if (count.isValid()) note = text(grouped(count.toULongLong()));
  QFont font = option.font;
  font.setWeight(count.isValid() ? QFont::DemiBold : QFont::Normal);
  const QFontMetrics metrics(font);
  QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  painter.setFont(font);
  painter.setPen(theme.text);
  painter.drawText(area, kFlags, shownLabel(label, note, metrics, area.width()));
  area.setLeft(area.left() + metrics.horizontalAdvance(label) + kGap);
  if (note == label) return;
  painter.setFont(option.font);
  painter.setPen(theme.mutedText);
  painter.drawText(area, kFlags,
                   operatorsFitting(note.toStdString(), option.fontMetrics, area.width()));
}

void OutlineDelegate::paintFigure(QPainter& painter, const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  const QVariant raw = index.data(kExactRole);
  Figure figure{Figure::Kind::Value, raw.toDouble()};
  if (!raw.isValid())
    figure.kind = static_cast<Figure::Kind>(index.data(OutlineModel::kAbsence).toInt());
  const QRect area = option.rect.adjusted(kMargin, 0, -kGap, 0);
  QString words = raw.isValid() ? shortText(figure.value) : QStringLiteral("–");
  if (m_scale.showsDifferences() && raw.isValid() && figure.value > 0) words.prepend(u'+');
  painter.setPen(raw.isValid() ? theme.text : theme.mutedText);
  painter.drawText(area, kFlags | Qt::AlignRight, words);
  // All bars of a column begin and end alike, whatever the figures.
  const int figureWidth = std::max(option.fontMetrics.horizontalAdvance(QStringLiteral("−00.0")),
                                   option.fontMetrics.horizontalAdvance(words));
  const QRectF bar(area.left(), area.top(), area.width() - figureWidth - kGap, area.height());
  if (bar.width() > kGap) drawErrorBar(painter, bar, figure, m_scale, theme);
}

QSize OutlineDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  const int width = option.fontMetrics.horizontalAdvance(index.data().toString());
  return {width + 2 * kGap, option.fontMetrics.height() + 8};
}

}  // namespace quantscope
