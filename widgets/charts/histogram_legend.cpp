#include "widgets/charts/histogram_legend.h"

#include <QPainter>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kSwatch = 12;
constexpr int kGap = 12;

}  // namespace

HistogramLegend::HistogramLegend(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setToolTip(tr(
      "Float: the reference run. Quantized: the whole network quantized. Range: what the "
      "grid of the type can represent; everything outside is clipped.\nDrag in the chart to zoom "
      "in, double-click to see everything again."));
}

void HistogramLegend::setData(const HistogramData& histogram) {
  m_hasQuantized = !histogram.quantized.empty();
  m_hasGrid = histogram.gridLow && histogram.gridHigh;
  m_type = histogram.type;
  update();
}

QSize HistogramLegend::sizeHint() const {
  return {160, fontMetrics().height() + 4};
}

void HistogramLegend::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.9);
  painter.setFont(small);
  const QColor precision = theme.precision(m_type);
  double x = 0;
  const auto add = [&](const QString& label, const auto& paint) {
    const QRectF swatch(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch);
    paint(swatch);
    painter.setPen(theme.mutedText);
    x += kSwatch + 4;
    painter.drawText(QRectF(x, 0, width() - x, height()), Qt::AlignVCenter, label);
    x += painter.fontMetrics().horizontalAdvance(label) + kGap;
  };
  add(tr("float"), [&](const QRectF& swatch) {
    QColor fill = theme.mutedText;
    fill.setAlphaF(0.35F);
    painter.fillRect(swatch.adjusted(0, 2, 0, -2), fill);
  });
  if (m_hasQuantized) {
    add(text(name(m_type)) + tr(" (quantized)"), [&](const QRectF& swatch) {
      painter.setPen(QPen(precision, 2));
      painter.drawLine(swatch.left(), swatch.center().y(), swatch.right(), swatch.center().y());
    });
  }
  if (!m_hasGrid) return;
  add(tr("range"), [&](const QRectF& swatch) {
    QColor fill = precision;
    fill.setAlphaF(0.15F);
    painter.fillRect(swatch, fill);
    painter.setPen(QPen(precision, 1));
    painter.drawLine(swatch.topLeft(), swatch.bottomLeft());
    painter.drawLine(swatch.topRight(), swatch.bottomRight());
  });
}

}  // namespace quantscope
