#include "widgets/graph/canvas/tile_renderer.h"

#include <QThread>
#include <algorithm>
#include <utility>

namespace quantscope {
namespace {

QImage paintArea(const GraphContent& content, const QRectF& area, double scale, QSize size) {
  // Opaque, so that it reaches the screen by plain copying.
  QImage image(size, QImage::Format_RGB32);
  image.fill(content.looks->theme.surface);
  QPainter painter(&image);
  painter.scale(scale, scale);
  painter.translate(-area.topLeft());
  paintGraph(painter, content, area, scale);
  return image;
}

QImage paintWhole(const TileRenderer::Whole& whole) {
  const QRectF bounds = whole.content.scene->bounds();
  const QSize size = (bounds.size() * whole.scale).toSize().expandedTo({1, 1});
  if (!whole.patch || whole.patch->rest.size() != size) {
    return paintArea(whole.content, bounds, whole.scale, size);
  }
  QImage image = whole.patch->rest;
  QPainter painter(&image);
  for (const QRectF& area : whole.patch->areas) {
    const QRectF inside = area & bounds;
    if (inside.isEmpty()) continue;
    const QRectF pixels((inside.topLeft() - bounds.topLeft()) * whole.scale,
                        inside.size() * whole.scale);
    painter.resetTransform();
    painter.setClipRect(pixels.toAlignedRect());
    painter.fillRect(pixels.toAlignedRect(), whole.content.looks->theme.surface);
    painter.scale(whole.scale, whole.scale);
    painter.translate(-bounds.topLeft());
    paintGraph(painter, whole.content, inside, whole.scale);
  }
  return image;
}

}  // namespace

QRectF areaOf(const TileKey& tile) {
  const double size = kTileSize / tile.scale;
  return {tile.place.x() * size, tile.place.y() * size, size, size};
}

// One core is left to the window.
TileRenderer::TileRenderer(QObject* parent)
    : QObject(parent), m_work(std::clamp(QThread::idealThreadCount() - 1, 1, 4)) {}

void TileRenderer::setContent(const GraphContent& content) {
  m_content = content;
  m_tiles.clear();
  m_whole.reset();
  m_work.cancel();
}

void TileRenderer::request(const std::vector<TileKey>& tiles) {
  m_tiles.clear();
  if (!m_content.empty()) m_tiles = tiles;
  queue();
}

void TileRenderer::requestWhole(Whole whole) {
  m_whole = std::move(whole);
  queue();
}

void TileRenderer::queue() {
  std::vector<NewestWork::Item> items;
  if (m_whole && m_whole->urgent) items.push_back(itemOf(*m_whole));
  for (const TileKey& tile : m_tiles) items.push_back(itemOf(tile));
  if (m_whole && !m_whole->urgent) items.push_back(itemOf(*m_whole));
  m_work.replaceWaiting(std::move(items));
}

NewestWork::Item TileRenderer::itemOf(const TileKey& tile) {
  const QString name = QStringLiteral("%1 %2 %3")
                           .arg(tile.scale, 0, 'g', 17)
                           .arg(tile.place.x())
                           .arg(tile.place.y());
  return {
      name, [this, tile, content = m_content](const NewestWork::Turn& /*turn*/) {
        const QImage image = paintArea(content, areaOf(tile), tile.scale, {kTileSize, kTileSize});
        return [this, tile, image] {
          std::erase(m_tiles, tile);
          Q_EMIT tileReady(tile, image);
        };
      }};
}

NewestWork::Item TileRenderer::itemOf(const Whole& whole) {
  return {QStringLiteral("whole %1").arg(whole.id),
          [this, whole](const NewestWork::Turn& /*turn*/) {
            return [this, id = whole.id, image = paintWhole(whole)] {
              if (m_whole && m_whole->id == id) m_whole.reset();
              Q_EMIT wholeReady(id, image);
            };
          }};
}

}  // namespace quantscope
