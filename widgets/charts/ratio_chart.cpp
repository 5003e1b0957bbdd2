#include "widgets/charts/ratio_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr double kHeadroom = 1.1;

}  // namespace

RatioChart::RatioChart(const QString& name, QWidget* parent) : Plot(name, parent) {}

void RatioChart::setContent(Content content) {
  m_content = std::move(content);
  m_highest = 0;
  for (const double line : m_content.lines) m_highest = std::max(m_highest, line);
  for (const double ratio : m_content.ratios) {
    if (std::isfinite(ratio)) m_highest = std::max(m_highest, ratio);
  }
  m_highest = m_highest > 0 ? m_highest * kHeadroom : 1;
  setExtent(0, m_highest);
  update();
}

void RatioChart::setSelected(int channel) {
  m_selected = channel;
  update();
}

QString RatioChart::caption() const {
  return tr("%1 of %2 channels, by index")
      .arg(m_content.title, text(grouped(m_content.ratios.size())));
}

QPoint RatioChart::positionOf(std::size_t channel) const {
  const Frame frame = this->frame(size());
  const double width = frame.area.width() / static_cast<double>(m_content.ratios.size());
  return QPointF(frame.area.left() + (static_cast<double>(channel) + 0.5) * width,
                 frame.area.center().y())
      .toPoint();
}

int RatioChart::itemAt(const QPointF& place) const {
  const Frame frame = this->frame(size());
  return frame.area.contains(place) ? frame.slotAt(place.x(), m_content.ratios.size()) : -1;
}

QString RatioChart::itemWords(int channel) const {
  const double ratio = m_content.ratios[static_cast<std::size_t>(channel)];
  return tr("Channel %1\n%2: %3")
      .arg(channel)
      .arg(m_content.title, std::isnan(ratio) ? QStringLiteral("–") : exactText(ratio));
}

void RatioChart::paintData(QPainter& painter, const Frame& frame, const Theme& theme) const {
  const double slot = frame.area.width() / static_cast<double>(m_content.ratios.size());
  for (std::size_t i = 0; i < m_content.ratios.size(); ++i) {
    const double ratio = m_content.ratios[i];
    if (std::isnan(ratio)) continue;
    const double middle = frame.area.left() + (static_cast<double>(i) + 0.5) * slot;
    if (m_selected == static_cast<int>(i)) {
      const double width = std::max(slot, 5.0);
      painter.fillRect(QRectF(middle - width / 2, frame.area.top(), width, frame.area.height()),
                       theme.selected());
    }
    const double top = frame.y(std::min(ratio, m_highest));
    const bool marked = i < m_content.marked.size() && m_content.marked[i];
    const QRectF place(middle - slot / 2, frame.area.top(), slot, frame.area.height());
    painter.fillRect(barIn(place, top, frame.y(0)), marked ? theme.warning : theme.edge);
  }
  painter.setPen(QPen(theme.critical, 1, Qt::DashLine));
  for (const double line : m_content.lines) {
    painter.drawLine(QPointF(frame.area.left(), frame.y(line)),
                     QPointF(frame.area.right(), frame.y(line)));
  }
}

}  // namespace quantscope
