#include "widgets/charts/channel_chart.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

ChannelChart::ChannelChart(const QString& name, QWidget* parent) : Plot(name, parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void ChannelChart::setSeries(ChannelSeries series) {
  m_series = std::move(series);
  m_dominating = dominatingChannels(m_series);
  double low = 0;
  double high = 0;
  const auto include = [&](const Range& range) {
    if (range.empty) return;
    low = std::min<double>(low, range.low);
    high = std::max<double>(high, range.high);
  };
  for (const Range& channel : m_series.channels) include(channel);
  for (const Range& grid : m_series.grids) include(grid);
  setExtent(low, high);
  setAccessibleDescription(text(dominanceWords(m_series)));
  arrange();
}

void ChannelChart::shareAxis(ChannelChart& first, ChannelChart& second) {
  if (first.isEmpty() || second.isEmpty()) return;
  const double low = std::min(first.low(), second.low());
  const double high = std::max(first.high(), second.high());
  for (ChannelChart* each : {&first, &second}) {
    each->setExtent(low, high);
    each->update();
  }
}

void ChannelChart::sortBySize(bool sorted) {
  m_bySize = sorted;
  arrange();
}

void ChannelChart::arrange() {
  m_order = channelsBySize(m_series);
  if (!m_bySize) std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  update();
}

void ChannelChart::setSelected(int channel) {
  m_selected = channel;
  update();
}

QString ChannelChart::caption() const {
  const QString count = text(grouped(m_series.channels.size()));
  return m_bySize ? tr("%1 channels, largest first").arg(count)
                  : tr("%1 channels by index").arg(count);
}

QRectF ChannelChart::slotOf(std::size_t place, const Frame& frame) const {
  const double width = frame.area.width() / static_cast<double>(m_order.size());
  return {frame.area.left() + static_cast<double>(place) * width, frame.area.top(), width,
          frame.area.height()};
}

std::size_t ChannelChart::placeOf(std::size_t channel) const {
  return static_cast<std::size_t>(std::ranges::find(m_order, channel) - m_order.begin());
}

QPoint ChannelChart::positionOf(std::size_t channel) const {
  return slotOf(placeOf(channel), frame(size())).center().toPoint();
}

int ChannelChart::itemAt(const QPointF& place) const {
  const Frame frame = this->frame(size());
  if (m_order.empty() || !frame.area.adjusted(0, -20, 0, 0).contains(place)) return -1;
  const int slot = frame.slotAt(place.x(), m_order.size());
  return static_cast<int>(m_order[static_cast<std::size_t>(slot)]);
}

void ChannelChart::paintData(QPainter& painter, const Frame& frame, const Theme& theme) const {
  if (m_selected >= 0 && static_cast<std::size_t>(m_selected) < m_order.size()) {
    QRectF slot = slotOf(placeOf(static_cast<std::size_t>(m_selected)), frame);
    const double wider = std::max(0.0, 5 - slot.width()) / 2;
    painter.fillRect(slot.adjusted(-wider, 0, wider, 0), theme.selected());
  }
  for (std::size_t place = 0; place < m_order.size(); ++place) {
    const Range& channel = m_series.channels[m_order[place]];
    if (channel.empty) continue;
    painter.fillRect(barIn(slotOf(place, frame), frame.y(channel.high), frame.y(channel.low)),
                     m_selected == static_cast<int>(m_order[place]) ? theme.accent : theme.edge);
  }
  paintGrids(painter, frame, theme);
  paintMarks(painter, frame, theme);
}

void ChannelChart::paintGrids(QPainter& painter, const Frame& frame, const Theme& theme) const {
  if (m_series.grids.empty()) return;
  painter.setPen(QPen(theme.precision(m_series.params->type), 1.5));
  const auto line = [&](double left, double right, double number) {
    painter.drawLine(QPointF(left, frame.y(number)), QPointF(right, frame.y(number)));
  };
  if (m_series.grids.size() == 1) {
    line(frame.area.left(), frame.area.right(), m_series.grids[0].low);
    line(frame.area.left(), frame.area.right(), m_series.grids[0].high);
    return;
  }
  for (std::size_t place = 0; place < m_order.size(); ++place) {
    const QRectF slot = slotOf(place, frame);
    const Range& grid = m_series.grids[m_order[place]];
    line(slot.left(), slot.right(), grid.low);
    line(slot.left(), slot.right(), grid.high);
  }
}

void ChannelChart::paintMarks(QPainter& painter, const Frame& frame, const Theme& theme) const {
  if (m_series.channels.size() < 2) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  std::vector<QRectF> taken;
  for (const std::size_t channel : m_dominating) {
    const Range& range = m_series.channels[channel];
    const QRectF slot = slotOf(placeOf(channel), frame);
    const bool below = std::abs(range.low) > std::abs(range.high);
    painter.fillRect(barIn(slot, frame.y(range.high), frame.y(range.low)), theme.warning);
    // A triangle that points at the end that sticks out.
    const double x = slot.center().x();
    const double tip = below ? frame.y(range.low) - 2 : frame.y(range.high) - 2;
    QPainterPath triangle(QPointF(x, below ? frame.area.top() - 2 : tip));
    const double base = triangle.currentPosition().y() - 6;
    triangle.lineTo(x - 4, base);
    triangle.lineTo(x + 4, base);
    triangle.closeSubpath();
    painter.fillPath(triangle, theme.warning);
    taken.push_back(triangle.boundingRect());
  }
  painter.setPen(theme.warning);
  paintNumbers(painter, frame, taken);
  painter.restore();
}

// The channels' numbers, each beside its triangle where there is room; the tooltip has all.
void ChannelChart::paintNumbers(QPainter& painter, const Frame& frame,
                                std::vector<QRectF> taken) const {
  for (std::size_t i = 0; i < m_dominating.size(); ++i) {
    const QString number = QString::number(m_dominating[i]);
    const QRectF triangle = taken[i];
    const double width = fontMetrics().horizontalAdvance(number);
    for (const double x : {triangle.right() + 3, triangle.left() - 3 - width}) {
      const QRectF place(x, triangle.top(), width, triangle.height());
      const bool inside = place.left() >= frame.area.left() && place.right() <= frame.area.right();
      const bool free =
          std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(place); });
      if (!inside || !free) continue;
      painter.drawText(QPointF(x, triangle.top() + 5), number);
      taken.push_back(place);
      break;
    }
  }
}

QString ChannelChart::itemWords(int item) const {
  const auto channel = static_cast<std::size_t>(item);
  const Range& range = m_series.channels[channel];
  QString words = tr("Channel %1").arg(channel) + u'\n' +
                  (range.empty ? tr("no finite element") : text(rangeText(range)));
  if (const Range* grid = m_series.gridOf(channel))
    words += u'\n' + tr("Grid %1").arg(text(rangeText(*grid)));
  if (std::ranges::find(m_dominating, channel) != m_dominating.end())
    words += u'\n' + tr("Sets the range of the whole tensor");
  return words;
}

int ChannelChart::itemBeside(int step) const {
  if (m_order.empty()) return -1;
  const bool known = m_selected >= 0 && static_cast<std::size_t>(m_selected) < m_order.size();
  const int place = known ? static_cast<int>(placeOf(static_cast<std::size_t>(m_selected))) : -step;
  const int next = std::clamp(place + step, 0, static_cast<int>(m_order.size()) - 1);
  return static_cast<int>(m_order[static_cast<std::size_t>(next)]);
}

}  // namespace quantscope
