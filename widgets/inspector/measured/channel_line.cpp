#include "widgets/inspector/measured/channel_line.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kMark = 4;  // height of the mark below the selected channel

}  // namespace

ChannelLine::ChannelLine(QWidget* parent) : ItemChart(parent) {
  setAccessibleName(tr("SQNR of all channels"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ChannelLine::setContent(const std::vector<double>& sqnrDb, const ErrorScale& scale,
                             int selected) {
  m_sqnrDb = sqnrDb;
  m_scale = scale;
  m_selected = selected;
  update();
}

int ChannelLine::channelAt(int x) const {
  const auto count = static_cast<double>(m_sqnrDb.size());
  if (m_sqnrDb.empty() || x < 0 || x >= width()) return -1;
  const auto first = static_cast<int>(std::floor(x * count / width()));
  const int end = std::max(first + 1, static_cast<int>(std::floor((x + 1) * count / width())));
  int worst = first;
  for (int channel = first; channel < std::min(end, static_cast<int>(m_sqnrDb.size())); ++channel) {
    const double sqnr = m_sqnrDb[static_cast<std::size_t>(channel)];
    const double best = m_sqnrDb[static_cast<std::size_t>(worst)];
    if (sqnr < best || std::isnan(best)) worst = channel;
  }
  return worst;
}

void ChannelLine::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  const int strip = height() - kMark - 2;
  painter.fillRect(0, 0, width(), strip, absenceBrush(Figure::Kind::NotComputed, theme));
  for (int x = 0; x < width(); ++x) {
    const int channel = channelAt(x);
    if (channel < 0) continue;
    const double sqnr = m_sqnrDb[static_cast<std::size_t>(channel)];
    if (!std::isnan(sqnr)) painter.fillRect(x, 0, 1, strip, m_scale.colour(sqnr));
  }
  if (m_selected >= 0 && m_selected < static_cast<int>(m_sqnrDb.size())) {
    const double each = width() / static_cast<double>(m_sqnrDb.size());
    painter.fillRect(QRectF(m_selected * each, strip + 2, std::max(each, 3.0), kMark),
                     theme.accent);
  }
  if (hasFocus()) {
    painter.setPen(theme.accent);
    painter.drawRect(0, 0, width() - 1, strip - 1);
  }
}

// At once: the colours alone say little.
void ChannelLine::mouseMoveEvent(QMouseEvent* event) {
  explain(event->position());
}

int ChannelLine::itemAt(const QPointF& place) const {
  return channelAt(static_cast<int>(place.x()));
}

QString ChannelLine::itemWords(int channel) const {
  const double sqnr = m_sqnrDb[static_cast<std::size_t>(channel)];
  const QString words = std::isnan(sqnr) ? tr("not computed") : withUnit(sqnr, tr("dB"));
  return tr("channel %1: %2").arg(channel).arg(words);
}

int ChannelLine::itemBeside(int step) const {
  if (m_sqnrDb.empty()) return -1;
  return std::clamp(m_selected + step, 0, static_cast<int>(m_sqnrDb.size()) - 1);
}

}  // namespace quantscope
