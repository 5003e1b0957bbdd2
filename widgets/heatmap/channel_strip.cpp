#include "widgets/heatmap/channel_strip.h"

#include <QPainter>
#include <algorithm>
#include <limits>
#include <numeric>

#include "widgets/copy/picture_actions.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kScaleWidth = 64;
constexpr double kWidestBar = 24;
constexpr double kLowestBar = 3;  // height of a bar at the calm end
constexpr double kNone = -std::numeric_limits<double>::infinity();

double stripHeat(const Figure& figure, const ErrorScale& scale) {
  return figure.kind == Figure::Kind::Value ? std::max(scale.heat(figure.value), -1e6) : kNone;
}

}  // namespace

std::vector<int> channelOrder(const std::vector<Figure>& channels, const ErrorScale& scale,
                              bool worstFirst) {
  std::vector<int> order(channels.size());
  std::iota(order.begin(), order.end(), 0);
  if (!worstFirst) return order;
  std::ranges::stable_sort(order, std::greater{}, [&](int channel) {
    return stripHeat(channels[static_cast<std::size_t>(channel)], scale);
  });
  return order;
}

QString channelWords(const std::vector<Figure>& channels, const ErrorScale& scale) {
  const std::vector<int> order = channelOrder(channels, scale, true);
  const auto figure = [&](std::size_t place) {
    return channels[static_cast<std::size_t>(order[place])];
  };
  std::size_t known = 0;
  while (known < order.size() && figure(known).kind == Figure::Kind::Value) ++known;
  if (known == 0) return {};
  const QString unit = text(scale.metric().unit);
  return QObject::tr("worst is channel %1 with %2, the middle of %3 has %4")
      .arg(order.front())
      .arg(withUnit(figure(0).value, unit))
      .arg(known)
      .arg(withUnit(figure(known / 2).value, unit));
}

ChannelStrip::ChannelStrip(QWidget* parent) : ItemChart(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumHeight(64);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Channels of the selected layer"));
  addPictureActions(this, QStringLiteral("channels"));
}

void ChannelStrip::setChannels(std::vector<Figure> channels, const ErrorScale& scale) {
  m_channels = std::move(channels);
  m_scale = scale;
  arrange();
}

void ChannelStrip::setWorstFirst(bool worstFirst) {
  m_worstFirst = worstFirst;
  arrange();
}

void ChannelStrip::setThreshold(double position) {
  m_threshold = position;
  update();
}

void ChannelStrip::setCurrent(int channel) {
  m_current = channel;
  update();
}

void ChannelStrip::arrange() {
  m_order = channelOrder(m_channels, m_scale, m_worstFirst);
  update();
}

QRect ChannelStrip::bars() const {
  return rect().adjusted(kScaleWidth, 6, -8, -6);
}

CellAxis ChannelStrip::axis() const {
  const int count = static_cast<int>(m_order.size());
  return {count, std::min(kWidestBar, static_cast<double>(bars().width()) / std::max(count, 1))};
}

double ChannelStrip::heat(int place) const {
  const int channel = m_order[static_cast<std::size_t>(place)];
  return stripHeat(m_channels[static_cast<std::size_t>(channel)], m_scale);
}

int ChannelStrip::worstOf(CellSpan places) const {
  int worst = places.first;
  for (int place = places.first; place < places.end; ++place) {
    if (heat(place) > heat(worst)) worst = place;
  }
  return worst;
}

int ChannelStrip::itemAt(const QPointF& place) const {
  const CellSpan places = axis().cellsAt(static_cast<int>(place.x()) - bars().left());
  return places.count() == 0 ? -1 : m_order[static_cast<std::size_t>(worstOf(places))];
}

void ChannelStrip::paintScale(QPainter& painter, const Theme& theme) const {
  const QRect area = bars();
  painter.setPen(theme.mutedText);
  const QRect column(0, area.top(), kScaleWidth - 8, area.height());
  painter.drawText(column, Qt::AlignRight | Qt::AlignTop, m_scale.textAt(1));
  painter.drawText(column, Qt::AlignRight | Qt::AlignBottom, m_scale.textAt(0));
  painter.setPen(theme.border);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
}

void ChannelStrip::paintEvent(QPaintEvent* event) {
  Q_UNUSED(event)
  QPainter painter(this);
  const Theme& theme = Theme::of(palette());
  painter.fillRect(rect(), theme.surface);
  if (m_order.empty()) return;
  paintScale(painter, theme);
  const QRect area = bars();
  const CellAxis places = axis();
  for (int x = 0; x < places.length();) {
    const CellSpan span = places.cellsAt(x);
    const int place = worstOf(span);
    const double worst = heat(place);
    const int next = std::max(places.end(span.first), x + 1);
    const int gap = next - x >= 4 ? 1 : 0;
    if (m_order[static_cast<std::size_t>(place)] == m_current) {
      QColor band = theme.accent;
      band.setAlphaF(0.3F);
      painter.fillRect(area.left() + x - 1, area.top(), next - x + 2, area.height(), band);
    }
    if (worst == kNone) {
      painter.fillRect(QRect(area.left() + x, area.bottom() - 8, next - x - gap, 8),
                       absenceBrush(Figure::Kind::NotComputed, theme));
    } else {
      const double position = std::clamp(worst, 0.0, 1.0);
      const double height = kLowestBar + position * (area.height() - kLowestBar);
      const bool grey = m_threshold > 0 && worst < m_threshold;
      painter.fillRect(QRectF(area.left() + x, area.bottom() - height, next - x - gap, height),
                       grey ? theme.border : m_scale.colourAt(position));
    }
    x = next;
  }
  if (hasFocus()) {
    painter.setPen(theme.accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

QString ChannelStrip::itemWords(int channel) const {
  const Figure& figure = m_channels[static_cast<std::size_t>(channel)];
  const QString value = figure.kind == Figure::Kind::Value
                            ? exactText(figure.value) + u' ' + text(m_scale.metric().unit)
                            : absenceText(figure.kind);
  return tr("Channel %1: %2").arg(channel).arg(value);
}

int ChannelStrip::itemBeside(int step) const {
  if (m_order.empty()) return -1;
  const auto found = std::ranges::find(m_order, m_current);
  const auto last = static_cast<std::ptrdiff_t>(m_order.size()) - 1;
  const std::ptrdiff_t place =
      found == m_order.end() ? 0
                             : std::clamp<std::ptrdiff_t>(found - m_order.begin() + step, 0, last);
  return m_order[static_cast<std::size_t>(place)];
}

}  // namespace quantscope
