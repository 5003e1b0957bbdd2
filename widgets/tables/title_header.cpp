#include "widgets/tables/title_header.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kArrow = 8;
constexpr int kGap = 4;

void drawArrow(QPainter& painter, const QPointF& centre, bool up, const QColor& colour) {
  const double tip = up ? -2.5 : 2.5;
  QPainterPath path(centre + QPointF(-kArrow / 2.0, -tip));
  path.lineTo(centre + QPointF(0, tip));
  path.lineTo(centre + QPointF(kArrow / 2.0, -tip));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.strokePath(path, QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.restore();
}

}  // namespace

TitleHeader::TitleHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setSortIndicatorClearable(true);
  setMinimumSectionSize(40);
  setSortIndicator(-1, Qt::AscendingOrder);
}

QSize TitleHeader::sizeHint() const {
  return {QHeaderView::sizeHint().width(), fontMetrics().height() + 2 * kPadding + 2};
}

QString TitleHeader::words(int section, int role) const {
  return model()->headerData(section, Qt::Horizontal, role).toString();
}

void TitleHeader::paintSection(QPainter* painter, const QRect& area, int section) const {
  const Theme& theme = Theme::of(palette());
  painter->save();
  painter->fillRect(area, theme.raised);
  painter->setFont(font());
  paintContent(*painter, area, section);
  painter->setPen(theme.border);
  painter->drawLine(area.bottomLeft(), area.bottomRight());
  painter->restore();
}

// The room that the arrow takes.
int TitleHeader::paintArrow(QPainter& painter, const QRect& line, int section, bool right) const {
  if (!isSortIndicatorShown() || sortIndicatorSection() != section) return 0;
  const double x = right ? line.left() + kArrow / 2.0 : line.right() - kArrow / 2.0;
  drawArrow(painter, {x, line.center().y() + 0.5}, sortIndicatorOrder() == Qt::AscendingOrder,
            Theme::of(palette()).accent);
  return kArrow + kGap;
}

void TitleHeader::paintContent(QPainter& painter, const QRect& area, int section) const {
  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics = fontMetrics();
  QRect line(area.left() + kMargin, area.bottom() - metrics.height() - kPadding,
             area.width() - 2 * kMargin, metrics.height());
  const int alignment = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
  const bool right = (alignment & Qt::AlignRight) != 0;
  const int arrow = paintArrow(painter, line, section, right);
  line.adjust(right ? arrow : 0, 0, right ? 0 : -arrow, 0);
  const QString unit = words(section, kUnit);
  const int unitWidth = unit.isEmpty() ? 0 : metrics.horizontalAdvance(unit) + kGap;
  const QString title =
      metrics.elidedText(words(section, kTitle), Qt::ElideRight, line.width() - unitWidth);
  const int width = metrics.horizontalAdvance(title) + unitWidth;
  if (right) line.setLeft(std::max(line.left(), line.right() - width));
  constexpr int kFlags = Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine;
  painter.setPen(theme.text);
  painter.drawText(line, kFlags, title);
  painter.setPen(theme.mutedText);
  painter.drawText(line.adjusted(width - unitWidth + kGap, 0, kGap, 0), kFlags, unit);
}

}  // namespace quantscope
