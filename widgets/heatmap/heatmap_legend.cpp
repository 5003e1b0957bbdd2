#include "widgets/heatmap/heatmap_legend.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kBarWidth = 208;
constexpr int kBarHeight = 12;
constexpr int kSwatch = 14;
constexpr int kGap = 16;
constexpr double kKeyStep = 0.025;  // 1 dB of SQNR

}  // namespace

HeatmapLegend::HeatmapLegend(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::SizeHorCursor);
  setAccessibleName(tr("Threshold of the heatmap"));
  setToolTip(
      tr("Drag to grey what is better than a threshold; double click shows everything again."));
}

void HeatmapLegend::setScale(const ErrorScale& scale) {
  m_scale = scale;
  updateGeometry();
  update();
}

void HeatmapLegend::setThreshold(double position) {
  position = std::clamp(position, 0.0, 1.0);
  if (position == m_threshold) return;
  m_threshold = position;
  setAccessibleDescription(position > 0
                               ? tr("Grey where better than %1").arg(m_scale.textAt(position))
                               : tr("Nothing is grey"));
  update();
  Q_EMIT thresholdChanged(position);
}

QSize HeatmapLegend::sizeHint() const {
  const QFontMetrics metrics(font());
  const int caption = metrics.horizontalAdvance(tr("stretched to this model"));
  const int absent = kSwatch + 6 + metrics.horizontalAdvance(tr("not quantized"));
  return {caption + kGap + kBarWidth + kGap + absent + 8, 2 * metrics.height() + 12};
}

QRect HeatmapLegend::barRect(const QRect& rect) const {
  const QFontMetrics metrics(font());
  const int left = rect.left() + metrics.horizontalAdvance(tr("stretched to this model")) + kGap;
  return {left, rect.top() + 8, kBarWidth, kBarHeight};
}

void HeatmapLegend::paintEvent(QPaintEvent* event) {
  Q_UNUSED(event)
  QPainter painter(this);
  const Theme& theme = Theme::of(palette());
  paint(painter, rect(), theme);
  paintHandle(painter, barRect(rect()), theme);
}

void HeatmapLegend::paint(QPainter& painter, const QRect& rect, const Theme& theme) const {
  const QRect bar = barRect(rect);
  const QFontMetrics metrics(font());
  const MetricDescription& metric = m_scale.metric();
  const QString unit = text(metric.unit);
  const QRect caption(rect.left(), rect.top() + 4, bar.left() - kGap - rect.left(),
                      rect.height() - 8);
  painter.setFont(font());
  painter.setPen(theme.text);
  painter.drawText(caption, Qt::AlignRight | Qt::AlignTop,
                   text(metric.title) + (unit.isEmpty() ? QString() : QStringLiteral(", ") + unit));
  painter.setPen(theme.mutedText);
  painter.drawText(caption, Qt::AlignRight | Qt::AlignBottom,
                   m_scale.showsDifferences() ? tr("A − B, right is worse")
                   : m_scale.stretched()      ? tr("stretched to this model")
                                              : tr("fixed scale"));
  paintBar(painter, bar, theme);

  const int left = bar.right() + 1 + kGap;
  const auto swatch = [&](int top, Figure::Kind kind) {
    const QRect box(left, top, kSwatch, kSwatch);
    painter.fillRect(box, theme.surface);
    painter.fillRect(box, absenceBrush(kind, theme));
    painter.setPen(theme.border);
    painter.drawRect(box);
    painter.setPen(theme.mutedText);
    painter.drawText(QRect(box.right() + 6, top, 200, kSwatch + 2),
                     Qt::AlignLeft | Qt::AlignVCenter, absenceText(kind));
  };
  swatch(rect.top() + 5, Figure::Kind::NotQuantized);
  swatch(rect.bottom() - kSwatch - 4, Figure::Kind::NotComputed);
}

void HeatmapLegend::paintBar(QPainter& painter, const QRect& bar, const Theme& theme) const {
  const QFontMetrics metrics(font());
  for (int x = 0; x < bar.width(); ++x) {
    const double position = static_cast<double>(x) / (bar.width() - 1);
    const QColor colour = position < m_threshold ? theme.border : m_scale.colourAt(position);
    painter.fillRect(bar.left() + x, bar.top(), 1, bar.height(), colour);
  }
  painter.setPen(theme.mutedText);
  for (const ErrorScale::Mark& mark : m_scale.marks()) {
    const int x = bar.left() + static_cast<int>(mark.position * (bar.width() - 1));
    painter.fillRect(x, bar.bottom() + 1, 1, 3, theme.mutedText);
    QRect label(0, bar.bottom() + 4, metrics.horizontalAdvance(mark.text) + 2, metrics.height());
    label.moveLeft(
        std::clamp(x - label.width() / 2, bar.left() - 8, bar.right() + 10 - label.width()));
    painter.drawText(label, Qt::AlignCenter, mark.text);
  }
}

void HeatmapLegend::paintHandle(QPainter& painter, const QRect& bar, const Theme& theme) const {
  const double x = bar.left() + m_threshold * (bar.width() - 1) + 0.5;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.surface, 1));
  painter.setBrush(hasFocus() ? theme.accent : theme.text);
  painter.drawRoundedRect(QRectF(x - 3.5, bar.top() - 4, 7, bar.height() + 8), 3, 3);
}

void HeatmapLegend::dragTo(double x) {
  const QRect bar = barRect(rect());
  setThreshold((x - bar.left()) / (bar.width() - 1));
}

void HeatmapLegend::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) dragTo(event->position().x());
}

void HeatmapLegend::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons().testFlag(Qt::LeftButton)) dragTo(event->position().x());
}

void HeatmapLegend::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) setThreshold(0);
}

void HeatmapLegend::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return setThreshold(m_threshold - kKeyStep);
    case Qt::Key_Right:
      return setThreshold(m_threshold + kKeyStep);
    case Qt::Key_Home:
    case Qt::Key_Escape:
      return setThreshold(0);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace quantscope
