#include "widgets/ranges/range_delegate.h"

#include <QPainter>
#include <algorithm>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

constexpr double kBarHeight = 10;
constexpr double kBracketHeight = 16;
constexpr double kThinnest = 1.5;
constexpr int kTextMargin = 8;
constexpr int kFlags = Qt::AlignVCenter | Qt::TextSingleLine;

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

// A range of a single number still shows.
QRectF between(double left, double right, const QRectF& area) {
  return {left, area.center().y() - kBarHeight / 2, std::max(kThinnest, right - left), kBarHeight};
}

}  // namespace

RangeDelegate::RangeDelegate(const RangesModel* model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

void RangeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  const int row = index.data(RangesModel::kRowRole).toInt();
  painter->save();
  painter->setFont(option.font);
  drawRowBackground(*painter, option);
  if (index.column() == RangesModel::kChart) {
    paintBars(*painter, QRectF(option.rect).adjusted(kMargin, 0, -kMargin, 0), row, theme);
  } else if (index.column() == RangesModel::kValue) {
    paintValue(*painter, option, m_model->row(row));
  } else {
    const QVariant raw = index.data(kExactRole);
    const bool quiet = !raw.isValid() || index.column() == RangesModel::kPosition;
    painter->setPen(quiet ? theme.mutedText : theme.text);
    // A number cut off at its left would be another number.
    const QRect area = option.rect.adjusted(kTextMargin, 0, -kTextMargin, 0);
    painter->drawText(area, kFlags | Qt::AlignRight,
                      option.fontMetrics.elidedText(cellWords(raw), Qt::ElideRight, area.width()));
  }
  painter->restore();
}

void RangeDelegate::paintValue(QPainter& painter, const QStyleOptionViewItem& option,
                               const RangeRow& row) const {
  const Theme& theme = Theme::of(option.palette);
  const QFontMetrics& metrics = option.fontMetrics;
  QRect area = option.rect.adjusted(kTextMargin, 0, -kTextMargin, 0);
  const std::string_view lead = leadingOp(row.op);
  // The name goes first: cut short, those of neighbouring layers are alike.
  const auto [path, own] = nameParts(row.name, lead);
  const int room =
      area.width() - metrics.horizontalAdvance(path) - metrics.horizontalAdvance(own) - kTextMargin;
  const QString op = operatorsFitting(row.op, metrics, room);
  painter.setPen(theme.mutedText);
  painter.drawText(area, kFlags | Qt::AlignRight, op);
  if (!op.isEmpty()) area.setRight(area.right() - metrics.horizontalAdvance(op) - kTextMargin);
  drawLayerName(painter, area, row.name, lead, theme);
}

void RangeDelegate::paintBars(QPainter& painter, const QRectF& area, int row,
                              const Theme& theme) const {
  const RangeRow& values = m_model->row(row);
  const RangeAxis axis = m_shared ? *m_shared : RangeAxis::of(values);
  const auto x = [&](double number) { return area.left() + axis.position(number) * area.width(); };
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.border, 1));
  painter.drawLine(QPointF(x(0), area.top()), QPointF(x(0), area.bottom()));
  const Range& observed = values.observed();
  const Range& inner = m_model->inner(row);
  drawObservedBar(painter, between(x(observed.low), x(observed.high), area), theme);
  drawInnerBar(painter, between(x(inner.low), x(inner.high), area), theme);
  if (values.grid) {
    const Range& grid = *values.grid;
    // What lies within a step of the grid's end is rounded to it, not clipped.
    const double step = values.params->grids.empty() ? 0 : values.params->grids.front().scale;
    if (observed.low < grid.low - step)
      drawClippedBar(painter, between(x(observed.low), x(std::min(grid.low, observed.high)), area),
                     theme);
    if (observed.high > grid.high + step)
      drawClippedBar(painter, between(x(std::max(grid.high, observed.low)), x(observed.high), area),
                     theme);
    drawGridBracket(painter, between(x(grid.low), x(grid.high), area),
                    theme.precision(values.params->type));
  }
  painter.restore();
}

QSize RangeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {80, option.fontMetrics.height() + 8};
}

void drawObservedBar(QPainter& painter, const QRectF& bar, const Theme& theme) {
  painter.fillRect(bar, withAlpha(theme.edge, theme.dark ? 110 : 120));
}

void drawInnerBar(QPainter& painter, const QRectF& bar, const Theme& theme) {
  painter.fillRect(bar, withAlpha(theme.mutedText, theme.dark ? 190 : 170));
}

void drawClippedBar(QPainter& painter, const QRectF& bar, const Theme& theme) {
  painter.fillRect(bar, withAlpha(theme.warning, 60));
  painter.fillRect(bar, QBrush(theme.warning, Qt::BDiagPattern));
}

void drawGridBracket(QPainter& painter, const QRectF& bar, const QColor& colour) {
  const double middle = bar.center().y();
  const double top = middle - kBracketHeight / 2;
  const double bottom = middle + kBracketHeight / 2;
  const double foot = std::min(3.0, bar.width() / 2);
  painter.setPen(QPen(colour, 1.5));
  for (const auto& [x, inwards] : {std::pair{bar.left(), foot}, std::pair{bar.right(), -foot}}) {
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    painter.drawLine(QPointF(x, top), QPointF(x + inwards, top));
    painter.drawLine(QPointF(x, bottom), QPointF(x + inwards, bottom));
  }
}

}  // namespace quantscope
