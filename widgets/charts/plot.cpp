#include "widgets/charts/plot.h"

#include <QAction>
#include <QPainter>
#include <algorithm>

#include "widgets/charts/chart_ticks.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMargin = 8;
constexpr int kFocus = 1;
// Wider bars of few items would look like a histogram.
constexpr double kWidestBar = 12;
// Room above for the marks of channels that stick out.
constexpr int kTop = 20;

}  // namespace

Plot::Plot(const QString& name, QWidget* parent) : ItemChart(parent) {
  setContextMenuPolicy(Qt::ActionsContextMenu);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  addActions(pictureActions(this, [this, name]() -> ViewPicture {
    if (isEmpty()) return {};
    return {name, QSizeF(size()), [this, whole = QSizeF(size())](QPainter& painter) {
              painter.fillRect(QRectF(QPointF(), whole), Theme::of(palette()).surface);
              paintPlot(painter, whole);
            }};
  }));
}

int Plot::Frame::slotAt(double x, std::size_t count) const {
  if (count == 0) return -1;
  const double place = (x - area.left()) / area.width() * static_cast<double>(count);
  return static_cast<int>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
}

void Plot::setExtent(double low, double high) {
  m_low = std::min(low, 0.0);
  m_high = std::max(high, 0.0);
  if (m_low == m_high) m_high = m_low + 1;
}

int Plot::numbersWidth() const {
  return fontMetrics().horizontalAdvance(QStringLiteral("−0.00000")) + kMargin;
}

QRectF Plot::barIn(const QRectF& slot, double top, double bottom) {
  const double width = std::clamp(slot.width() * 0.7, 1.0, kWidestBar);
  return {slot.center().x() - width / 2, top, width, std::max(1.5, bottom - top)};
}

Plot::Frame Plot::frame(const QSizeF& size) const {
  const double caption = fontMetrics().height() + 4;
  const double left = numbersWidth();
  return {QRectF(left, kTop, std::max(1.0, size.width() - left - kMargin),
                 std::max(1.0, size.height() - kTop - caption)),
          m_low, m_high};
}

void Plot::paintEvent(QPaintEvent*) {
  if (isEmpty()) return;
  QPainter painter(this);
  paintPlot(painter, size());
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::of(palette()).accent, kFocus));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

void Plot::paintPlot(QPainter& painter, const QSizeF& size) const {
  const Theme& theme = Theme::of(palette());
  painter.setFont(font());
  const Frame frame = this->frame(size);
  paintAxis(painter, frame, theme);
  paintData(painter, frame, theme);
  painter.setPen(theme.mutedText);
  const QRectF line(frame.area.left(), frame.area.bottom() + 2, frame.area.width(),
                    fontMetrics().height());
  painter.drawText(
      line, Qt::AlignCenter,
      fontMetrics().elidedText(caption(), Qt::ElideRight, static_cast<int>(line.width())));
}

void Plot::paintAxis(QPainter& painter, const Frame& frame, const Theme& theme) const {
  const double lineHeight = fontMetrics().height();
  const int count = std::clamp(static_cast<int>(frame.area.height() / (2 * lineHeight)), 1, 6);
  for (const double number : roundNumbers(frame.low, frame.high, count)) {
    const double y = frame.y(number);
    painter.setPen(QPen(number == 0 ? theme.edge : theme.border, 1));
    painter.drawLine(QPointF(frame.area.left(), y), QPointF(frame.area.right(), y));
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(0, y - lineHeight / 2, numbersWidth() - 6, lineHeight),
                     Qt::AlignRight | Qt::AlignVCenter, shortText(number));
  }
}

}  // namespace quantscope
