#include "widgets/heatmap/pixel_map_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <span>

#include "base/number_text.h"
#include "widgets/copy/picture_actions.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kMargin = 8;
constexpr int kBetweenMaps = 16;
constexpr int kLine = 18;             // height of a line of words
constexpr int kBelow = 8;             // free space below it
constexpr double kErrorShare = 0.64;  // of the width
constexpr std::size_t kError = 2;
constexpr QRgb kNotANumber = qRgb(255, 0, 255);
// More would only be thrown away again: no screen has as many for one of three pictures.
constexpr std::size_t kMostPixels = 1024;

struct Span {
  double low = 0;
  double high = 0;
};

Span spanOf(const PixelMap& map) {
  Span span{INFINITY, -INFINITY};
  for (const std::vector<float>* values : {&map.expected, &map.actual}) {
    for (const float value : *values) {
      if (!std::isfinite(value)) continue;
      span.low = std::min(span.low, static_cast<double>(value));
      span.high = std::max(span.high, static_cast<double>(value));
    }
  }
  return span.low <= span.high ? span : Span{};
}

// Where several places share a pixel, the one that `worse` prefers stands for them.
template <class Colour, class Worse>
QImage imageOf(const PixelMap& map, Colour&& colour, Worse&& worse) {
  const std::size_t stepY = (map.height + kMostPixels - 1) / kMostPixels;
  const std::size_t stepX = (map.width + kMostPixels - 1) / kMostPixels;
  const std::size_t rows = (map.height + stepY - 1) / stepY;
  const std::size_t columns = (map.width + stepX - 1) / stepX;
  QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_RGB32);
  for (std::size_t y = 0; y < rows; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
    for (std::size_t x = 0; x < columns; ++x) {
      std::size_t chosen = y * stepY * map.width + x * stepX;
      for (std::size_t i = y * stepY; i < std::min(map.height, (y + 1) * stepY); ++i) {
        for (std::size_t k = x * stepX; k < std::min(map.width, (x + 1) * stepX); ++k) {
          if (worse(i * map.width + k, chosen)) chosen = i * map.width + k;
        }
      }
      line[x] = colour(chosen);
    }
  }
  return image;
}

QImage greyImage(const PixelMap& map, std::span<const float> values, Span span) {
  const double scale = span.high > span.low ? 255 / (span.high - span.low) : 0;
  return imageOf(
      map,
      [&](std::size_t place) {
        const double value = static_cast<double>(values[place]);
        if (!std::isfinite(value)) return kNotANumber;
        const int grey = static_cast<int>(std::lround((value - span.low) * scale));
        return qRgb(grey, grey, grey);
      },
      [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
}

double errorAt(const PixelMap& map, std::size_t place) {
  return static_cast<double>(map.actual[place]) - static_cast<double>(map.expected[place]);
}

/// The error of places as the SQNR that the channel would have if all erred as much.
class PlaceSqnr {
 public:
  explicit PlaceSqnr(const PixelMap& map) : m_map(map) {
    for (const float value : map.expected) m_power += static_cast<double>(value) * value;
    m_power /= static_cast<double>(std::max<std::size_t>(1, map.expected.size()));
  }

  double at(std::size_t place) const {
    const double error = errorAt(m_map, place);
    return error == 0 ? INFINITY : 10 * std::log10(m_power / (error * error));
  }

 private:
  const PixelMap& m_map;
  double m_power = 0;
};

QImage errorImage(const PixelMap& map, const ErrorScale& scale) {
  const PlaceSqnr sqnr(map);
  return imageOf(
      map,
      [&](std::size_t place) {
        const double figure = sqnr.at(place);
        return std::isnan(figure) ? kNotANumber : scale.colour(figure).rgb();
      },
      [&](std::size_t a, std::size_t b) {
        return std::abs(errorAt(map, a)) > std::abs(errorAt(map, b));
      });
}

QImage differenceImage(const PixelMap& map, const PixelMap& other, const ErrorScale& scale) {
  const PlaceSqnr sqnr(map);
  const PlaceSqnr otherSqnr(other);
  const auto difference = [&](std::size_t place) {
    const double a = sqnr.at(place);
    const double b = otherSqnr.at(place);
    return a == b ? 0 : a - b;
  };
  return imageOf(
      map,
      [&](std::size_t place) {
        const double figure = difference(place);
        return std::isnan(figure) ? kNotANumber : scale.colour(figure).rgb();
      },
      [&](std::size_t a, std::size_t b) {
        return std::abs(difference(a)) > std::abs(difference(b));
      });
}

// Which one is nearer to float, and where.
QString differenceWords(const PixelMap& map, const PixelMap& other) {
  std::size_t nearer = 0;
  std::size_t farther = 0;
  for (std::size_t i = 0; i < map.expected.size(); ++i) {
    const double own = std::abs(errorAt(map, i));
    const double others = std::abs(errorAt(other, i));
    nearer += static_cast<std::size_t>(own < others);
    farther += static_cast<std::size_t>(own > others);
  }
  const auto share = [&](std::size_t places) {
    return text(percent(static_cast<double>(places) / static_cast<double>(map.expected.size())));
  };
  if (nearer + farther == 0) return QObject::tr("no place differs");
  return QObject::tr("A is nearer at %1, B at %2").arg(share(nearer), share(farther));
}

std::size_t worstPlace(const PixelMap& map) {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < map.expected.size(); ++i) {
    if (std::abs(errorAt(map, i)) > std::abs(errorAt(map, worst))) worst = i;
  }
  return worst;
}

}  // namespace

PixelMapView::PixelMapView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Places of one channel"));
  addPictureActions(this, QStringLiteral("places"));
  auto* copy = new QAction(tr("Copy Values"), this);
  connect(copy, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(asText()); });
  addAction(copy);
}

void PixelMapView::setMap(std::optional<PixelMap> map, const ErrorScale& scale) {
  m_map = std::move(map);
  m_other.reset();
  m_scale = scale;
  m_pictures = {};
  if (m_map && !m_map->expected.empty()) makePictures();
  update();
}

void PixelMapView::setDifference(std::optional<PixelMap> map, std::optional<PixelMap> other,
                                 const ErrorScale& scale) {
  const bool both = map && other && map->height == other->height && map->width == other->width;
  m_map = both ? std::move(map) : std::nullopt;
  m_other = both ? std::move(other) : std::nullopt;
  m_scale = scale;
  m_pictures = {};
  if (both && !m_map->expected.empty()) makeDifference();
  update();
}

void PixelMapView::makePictures() {
  const Span span = spanOf(*m_map);
  const QString values = tr("%1 … %2").arg(shortText(span.low), shortText(span.high));
  const std::size_t worst = worstPlace(*m_map);
  m_pictures[0] = {tr("Float"), values, greyImage(*m_map, m_map->expected, span)};
  m_pictures[1] = {tr("Quantized"), tr("same scale"), greyImage(*m_map, m_map->actual, span)};
  m_pictures[kError] = {tr("Error"),
                        tr("largest %1 at %2, %3")
                            .arg(shortText(std::abs(errorAt(*m_map, worst))))
                            .arg(worst / m_map->width)
                            .arg(worst % m_map->width),
                        errorImage(*m_map, m_scale)};
}

void PixelMapView::makeDifference() {
  const ErrorScale errors(metricCatalogue().front(), {}, false);
  const auto largest = [](const PixelMap& map) {
    return tr("largest %1").arg(shortText(std::abs(errorAt(map, worstPlace(map)))));
  };
  m_pictures[0] = {tr("Error of A"), largest(*m_map), errorImage(*m_map, errors)};
  m_pictures[1] = {tr("Error of B"), largest(*m_other), errorImage(*m_other, errors)};
  m_pictures[kError] = {tr("A − B"), differenceWords(*m_map, *m_other),
                        differenceImage(*m_map, *m_other, m_scale)};
}

// The error, and beside it the two that it comes from.
QRect PixelMapView::frameOf(std::size_t picture) const {
  const QRect room = rect().adjusted(kMargin, 0, -kMargin, 0);
  const int wide = static_cast<int>(kErrorShare * (room.width() - kBetweenMaps));
  if (picture == kError) return {room.left(), 0, wide, room.height()};
  const int left = room.left() + wide + kBetweenMaps;
  return {left, static_cast<int>(picture) * room.height() / 2, room.right() + 1 - left,
          room.height() / 2};
}

// The largest size that fits below its title, in the shape of the map; very long or narrow maps are
// drawn thicker.
QRect PixelMapView::imageRect(std::size_t picture) const {
  const QRect room = frameOf(picture).adjusted(0, kLine, 0, -kLine - kBelow);
  if (!m_map || room.isEmpty()) return {};
  const double scale = std::min(room.width() / static_cast<double>(m_map->width),
                                room.height() / static_cast<double>(m_map->height));
  constexpr int kThinnest = 12;
  const int width = std::clamp(static_cast<int>(scale * static_cast<double>(m_map->width)),
                               std::min(kThinnest, room.width()), room.width());
  const int height = std::clamp(static_cast<int>(scale * static_cast<double>(m_map->height)),
                                std::min(kThinnest, room.height()), room.height());
  return {room.topLeft(), QSize(width, height)};
}

void PixelMapView::paintEvent(QPaintEvent* /*event*/) {
  if (m_pictures[0].image.isNull()) return;
  QPainter painter(this);
  const Theme& theme = Theme::of(palette());
  for (std::size_t i = 0; i < m_pictures.size(); ++i) {
    const QRect frame = frameOf(i);
    const QRect image = imageRect(i);
    painter.setPen(theme.text);
    painter.drawText(QRect(frame.left(), frame.top(), frame.width(), kLine),
                     Qt::AlignLeft | Qt::AlignVCenter, m_pictures[i].title);
    painter.drawImage(image, m_pictures[i].image);
    painter.setPen(theme.border);
    painter.drawRect(image.adjusted(0, 0, -1, -1));
    painter.setPen(theme.mutedText);
    const QRect below(frame.left(), image.bottom() + 3, frame.width(), kLine);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_pictures[i].words, Qt::ElideRight, below.width()));
  }
}

QString PixelMapView::wordsAt(const QPointF& place) const {
  for (std::size_t i = 0; m_map && i < m_pictures.size(); ++i) {
    const QRect image = imageRect(i);
    if (!image.contains(place.toPoint()) || m_pictures[i].image.isNull()) continue;
    const double x = (place.x() - image.left()) / image.width();
    const double y = (place.y() - image.top()) / image.height();
    const std::size_t row = std::min(
        m_map->height - 1, static_cast<std::size_t>(y * static_cast<double>(m_map->height)));
    const std::size_t column =
        std::min(m_map->width - 1, static_cast<std::size_t>(x * static_cast<double>(m_map->width)));
    const std::size_t at = row * m_map->width + column;
    const QString head = tr("row %1, column %2: float %3, ")
                             .arg(row)
                             .arg(column)
                             .arg(shortText(static_cast<double>(m_map->expected[at])));
    const auto words = [&](const PixelMap& map) {
      return tr("%1, error %2")
          .arg(shortText(static_cast<double>(map.actual[at])), shortText(errorAt(map, at)));
    };
    if (m_other) return head + tr("A %1, B %2").arg(words(*m_map), words(*m_other));
    return head + tr("quantized ") + words(*m_map);
  }
  return {};
}

QString PixelMapView::asText() const {
  QString result = tr("row\tcolumn\tfloat\t") + (m_other ? tr("A\tB\n") : tr("quantized\n"));
  for (std::size_t i = 0; m_map && i < m_map->expected.size(); ++i) {
    result += QStringLiteral("%1\t%2\t%3\t%4")
                  .arg(i / m_map->width)
                  .arg(i % m_map->width)
                  .arg(exactText(static_cast<double>(m_map->expected[i])),
                       exactText(static_cast<double>(m_map->actual[i])));
    if (m_other) result += u'\t' + exactText(static_cast<double>(m_other->actual[i]));
    result += u'\n';
  }
  return result;
}

bool PixelMapView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString words = wordsAt(help->pos());
  if (words.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), words, this);
  }
  return true;
}

}  // namespace quantscope
