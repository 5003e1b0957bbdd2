#include "widgets/ranges/range_legend.h"

#include <QPainter>
#include <array>

#include "widgets/look/theme.h"
#include "widgets/ranges/range_delegate.h"

namespace quantscope {
namespace {

constexpr int kSwatch = 24;
constexpr int kGap = 6;
constexpr int kSpace = 16;
constexpr double kLegendBarHeight = 10;

std::array<QString, 4> labels() {
  return {RangeLegend::tr("observed"), RangeLegend::tr("99.8 %"), RangeLegend::tr("grid"),
          RangeLegend::tr("clipped")};
}

}  // namespace

RangeLegend::RangeLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend of the ranges"));
  setToolTip(
      tr("<p>Bars reach from the smallest to the largest element that calibration saw; their dark "
         "part leaves out the outermost 0.1 % at both ends. Brackets, in the colour of the "
         "precision type, are what the quantization grid can represent.</p>"));
}

QSize RangeLegend::sizeHint() const {
  int width = -kSpace;
  for (const QString& label : labels())
    width += kSwatch + kGap + fontMetrics().horizontalAdvance(label) + kSpace;
  return {width, fontMetrics().height() + 8};
}

void RangeLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintRangeLegend(painter, rect(), Theme::of(palette()));
}

void paintRangeLegend(QPainter& painter, const QRectF& area, const Theme& theme) {
  double x = area.left();
  for (int i = 0; const QString& label : labels()) {
    const double labelWidth = painter.fontMetrics().horizontalAdvance(label);
    if (x + kSwatch + kGap + labelWidth > area.right()) break;  // better none than half of one
    const QRectF bar(x, area.center().y() - kLegendBarHeight / 2, kSwatch, kLegendBarHeight);
    if (i < 2) drawObservedBar(painter, bar, theme);
    if (i == 1) drawInnerBar(painter, bar, theme);
    if (i == 2)
      drawGridBracket(painter, bar.adjusted(1, 0, -1, 0), theme.precision(QuantType::Int8));
    if (i == 3) drawClippedBar(painter, bar, theme);
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(x + kSwatch + kGap, area.top(), labelWidth + 1, area.height()),
                     Qt::AlignVCenter, label);
    x += kSwatch + kGap + labelWidth + kSpace;
    ++i;
  }
}

}  // namespace quantscope
