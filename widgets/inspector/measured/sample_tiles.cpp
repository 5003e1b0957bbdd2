#include "widgets/inspector/measured/sample_tiles.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kColumns = 3;
constexpr int kGap = 8;
constexpr int kMostPicture = 112;
constexpr int kTilePadding = 4;

}  // namespace

SampleTiles::SampleTiles(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Worst samples"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void SampleTiles::setContent(std::vector<SampleTile> tiles, const ErrorScale& scale, int selected) {
  m_tiles = std::move(tiles);
  m_scale = scale;
  m_selected = selected;
  m_current = std::clamp(m_current, 0, std::max(0, static_cast<int>(m_tiles.size()) - 1));
  updateGeometry();
  update();
}

int SampleTiles::tileWidth(int width) const {
  return std::max(24, (width - (kColumns - 1) * kGap) / kColumns);
}

// Pictures are square; where there are none, two lines of words do.
int SampleTiles::tileHeight(int width) const {
  const bool pictures =
      std::ranges::any_of(m_tiles, [](const SampleTile& tile) { return !tile.picture.isNull(); });
  const int line = fontMetrics().height();
  const int content = pictures ? std::min(tileWidth(width), kMostPicture) : 2 * line;
  return content + captionHeight() + 2 * kTilePadding + 2;
}

// The change stands below the figure.
int SampleTiles::captionHeight() const {
  const bool changes = std::ranges::any_of(
      m_tiles, [](const SampleTile& tile) { return tile.change.exact.isValid(); });
  return (changes ? 2 : 1) * fontMetrics().height();
}

int SampleTiles::heightForWidth(int width) const {
  const int rows = (static_cast<int>(m_tiles.size()) + kColumns - 1) / kColumns;
  return rows == 0 ? 0 : rows * (tileHeight(width) + kGap) - kGap;
}

QSize SampleTiles::sizeHint() const {
  return {280, heightForWidth(std::max(width(), 200))};
}

QRect SampleTiles::tileRect(int tile) const {
  const int w = tileWidth(width());
  const int h = tileHeight(width());
  return {tile % kColumns * (w + kGap), tile / kColumns * (h + kGap), w, h};
}

int SampleTiles::tileAt(const QPoint& place) const {
  for (int tile = 0; tile < static_cast<int>(m_tiles.size()); ++tile) {
    if (tileRect(tile).contains(place)) return tile;
  }
  return -1;
}

void SampleTiles::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (int tile = 0; tile < static_cast<int>(m_tiles.size()); ++tile) paintTile(painter, tile);
}

void SampleTiles::paintTile(QPainter& painter, int index) const {
  const Theme& theme = Theme::of(palette());
  const SampleTile& tile = m_tiles[static_cast<std::size_t>(index)];
  const QRect box = tileRect(index);
  const bool selected = tile.sample == m_selected;
  painter.setPen(selected ? QPen(theme.accent, 2) : QPen(theme.border, 1));
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(box).adjusted(1, 1, -1, -1), 4, 4);

  const int line = fontMetrics().height();
  const QRect content =
      box.adjusted(kTilePadding, kTilePadding, -kTilePadding, -kTilePadding - captionHeight() - 2);
  if (tile.picture.isNull()) {
    painter.setPen(theme.mutedText);
    painter.drawText(content, Qt::AlignCenter | Qt::TextWordWrap, tile.words);
  } else {
    const QSize size = tile.picture.size().scaled(content.size(), Qt::KeepAspectRatio);
    QRect place(QPoint(), size);
    place.moveCenter(content.center());
    // Few large pixels show the sample as it is; many small ones would flicker.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, size.width() < tile.picture.width());
    painter.drawImage(place, tile.picture);
  }
  const QRect caption(box.left() + kTilePadding + 2, box.bottom() - kTilePadding - captionHeight(),
                      box.width() - 2 * kTilePadding - 4, line + 2);
  painter.setPen(theme.text);
  painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter,
                   QStringLiteral("#%1").arg(tile.sample));
  const QString figure = shortText(tile.sqnrDb);
  const int wide = fontMetrics().horizontalAdvance(figure) + 8;
  const QRect chip(caption.right() - wide + 3, caption.top(), wide, caption.height());
  const QColor colour = m_scale.colour(tile.sqnrDb);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(chip, 3, 3);
  painter.setPen(ErrorScale::textOn(colour));
  painter.drawText(chip, Qt::AlignCenter, figure);
  if (tile.change.exact.isValid()) {
    painter.setPen(theme.mutedText);
    painter.drawText(caption.translated(0, line), Qt::AlignRight | Qt::AlignVCenter,
                     tile.change.text);
  }
  if (hasFocus() && index == m_current) {
    painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(box).adjusted(3, 3, -3, -3), 3, 3);
  }
}

void SampleTiles::mousePressEvent(QMouseEvent* event) {
  const int tile = tileAt(event->pos());
  if (event->button() == Qt::LeftButton && tile >= 0) {
    m_current = tile;
    Q_EMIT sampleActivated(m_tiles[static_cast<std::size_t>(tile)].sample);
  }
  QWidget::mousePressEvent(event);
}

void SampleTiles::mouseMoveEvent(QMouseEvent* event) {
  const int tile = tileAt(event->pos());
  setCursor(tile >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  setToolTip(tile < 0 ? QString()
                      : tr("sample %1: %2 dB")
                            .arg(m_tiles[static_cast<std::size_t>(tile)].sample)
                            .arg(exactText(m_tiles[static_cast<std::size_t>(tile)].sqnrDb)));
}

void SampleTiles::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(m_tiles.size()) - 1;
  if (last < 0) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Left:
      m_current = std::max(0, m_current - 1);
      break;
    case Qt::Key_Right:
      m_current = std::min(last, m_current + 1);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      Q_EMIT sampleActivated(m_tiles[static_cast<std::size_t>(m_current)].sample);
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  update();
}

}  // namespace quantscope
