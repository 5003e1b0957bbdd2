#include "widgets/charts/histogram_legend.h"

#include <QPainter>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kSwatch = 12;
constexpr int kSwatchGap = 4;
constexpr int kGap = 12;

}  // namespace

HistogramLegend::HistogramLegend(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setToolTip(tr(
      "Float: the reference run. Quantized: the whole network quantized. Range: what the "
      "grid of the type can represent; everything outside is clipped.\nDrag in the chart to zoom "
      "in, double-click to see everything again."));
}

void HistogramLegend::setData(const HistogramData& histogram) {
  m_hasQuantized = !histogram.quantized.empty();
  m_hasGrid = histogram.gridLow && histogram.gridHigh;
  m_type = histogram.type;
  updateGeometry();
  update();
}

QFont HistogramLegend::smallFont() const {
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.9);
  return small;
}

QStringList HistogramLegend::labels() const {
  QStringList labels{tr("float")};
  if (m_hasQuantized) labels << text(name(m_type)) + tr(" (quantized)");
  if (m_hasGrid) labels << tr("range");
  return labels;
}

int HistogramLegend::line() const {
  return fontMetrics().height() + 4;
}

// Where each label begins, in rows as wide as there is room.
QList<QPoint> HistogramLegend::places(int width) const {
  const QFontMetrics metrics(smallFont());
  QList<QPoint> places;
  QPoint place;
  for (const QString& label : labels()) {
    const int own = kSwatch + kSwatchGap + metrics.horizontalAdvance(label);
    if (place.x() > 0 && place.x() + own > width) place = {0, place.y() + line()};
    places << place;
    place.rx() += own + kGap;
  }
  return places;
}

QSize HistogramLegend::sizeHint() const {
  return {160, heightForWidth(width())};
}

int HistogramLegend::heightForWidth(int width) const {
  return places(width).constLast().y() + line();
}

void HistogramLegend::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paint(painter, width());
}

void HistogramLegend::paint(QPainter& painter, int width) const {
  const Theme& theme = Theme::of(palette());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(smallFont());
  const QColor precision = theme.precision(m_type);
  const QList<QPoint> all = places(width);
  qsizetype next = 0;
  const auto add = [&](const QString& label, const auto& paint) {
    const QPoint& place = all[next++];
    paint(QRectF(place.x(), place.y() + (line() - kSwatch) / 2.0, kSwatch, kSwatch));
    painter.setPen(theme.mutedText);
    const int x = place.x() + kSwatch + kSwatchGap;
    painter.drawText(QRect(x, place.y(), width - x, line()), Qt::AlignVCenter, label);
  };
  const QStringList words = labels();
  add(words[0], [&](const QRectF& swatch) {
    QColor fill = theme.mutedText;
    fill.setAlphaF(0.35F);
    painter.fillRect(swatch.adjusted(0, 2, 0, -2), fill);
  });
  if (m_hasQuantized) {
    add(words[1], [&](const QRectF& swatch) {
      painter.setPen(QPen(precision, 2));
      painter.drawLine(swatch.left(), swatch.center().y(), swatch.right(), swatch.center().y());
    });
  }
  if (!m_hasGrid) return;
  add(words.constLast(), [&](const QRectF& swatch) {
    QColor fill = precision;
    fill.setAlphaF(0.15F);
    painter.fillRect(swatch, fill);
    painter.setPen(QPen(precision, 1));
    painter.drawLine(swatch.topLeft(), swatch.bottomLeft());
    painter.drawLine(swatch.topRight(), swatch.bottomRight());
  });
}

}  // namespace quantscope
