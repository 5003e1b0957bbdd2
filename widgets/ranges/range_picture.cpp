#include "widgets/ranges/range_picture.h"

#include <QFontMetrics>
#include <QPainter>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"
#include "widgets/ranges/range_legend.h"
#include "widgets/tables/row_looks.h"

namespace quantscope {
namespace {

constexpr int kNames = 240;
constexpr int kBars = 560;
constexpr int kNumbers = 72;
constexpr int kPictureMargin = 16;
constexpr int kWidth = kNames + kBars + 2 * kNumbers + 2 * kPictureMargin;

void paintTicks(QPainter& painter, const QRectF& area, const RangeAxis& axis, const Theme& theme) {
  painter.setPen(theme.mutedText);
  for (const RangeAxis::Tick& tick : axis.ticksOn(area.width(), painter.fontMetrics())) {
    const double x = area.left() + tick.position * area.width();
    painter.drawText(QRectF(x - kNumbers, area.top(), 2 * kNumbers, area.height()), Qt::AlignCenter,
                     tick.text);
  }
}

}  // namespace

ViewPicture rangePicture(const RangesModel& model, const RangeDelegate& delegate,
                         std::vector<int> rows, const QFont& font, const Theme& theme) {
  if (rows.empty()) return {};
  const double height = QFontMetrics(font).height() + 8;
  ViewPicture picture;
  picture.name = QStringLiteral("ranges");
  // The legend, the axis and the rows.
  picture.size = {kWidth, (static_cast<double>(rows.size()) + 2) * height + 2 * kPictureMargin};
  picture.paint = [&model, &delegate, rows = std::move(rows), font, &theme, height,
                   size = picture.size](QPainter& painter) {
    painter.fillRect(QRectF(QPointF(), size), theme.surface);
    painter.setFont(font);
    const QRectF whole(kPictureMargin, kPictureMargin, kWidth - 2 * kPictureMargin, height);
    paintRangeLegend(painter, whole, theme);
    painter.translate(0, height);
    const QRectF bars(kPictureMargin + kNames, kPictureMargin, kBars, height);
    if (delegate.sharedAxis())
      paintTicks(painter, bars.adjusted(kPictureMargin, 0, -kPictureMargin, 0),
                 *delegate.sharedAxis(), theme);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RangeRow& row = model.row(rows[i]);
      const QRectF line = bars.translated(0, (static_cast<double>(i) + 1) * height);
      drawLayerName(painter, QRectF(kPictureMargin, line.top(), kNames - 8, height).toRect(),
                    row.name, leadingOp(row.op), theme);
      delegate.paintBars(painter, line.adjusted(kPictureMargin, 0, -kPictureMargin, 0), rows[i],
                         theme);
      painter.setPen(theme.text);
      const QRectF low(line.right(), line.top(), kNumbers, height);
      painter.drawText(low, Qt::AlignRight | Qt::AlignVCenter, shortText(row.observed().low));
      painter.drawText(low.translated(kNumbers, 0), Qt::AlignRight | Qt::AlignVCenter,
                       shortText(row.observed().high));
    }
  };
  return picture;
}

}  // namespace quantscope
