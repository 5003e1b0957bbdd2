#include "widgets/graph/tile_renderer.h"

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

}  // namespace

QRectF areaOf(const TileKey& tile) {
  const double size = kTileSize / tile.scale;
  return {tile.place.x() * size, tile.place.y() * size, size, size};
}

TileRenderer::TileRenderer(QObject* parent) : QObject(parent) {
  // One core is left to the window.
  m_pool.setMaxThreadCount(std::clamp(QThread::idealThreadCount() - 1, 1, 4));
}

TileRenderer::~TileRenderer() {
  {
    const std::lock_guard lock(m_mutex);
    m_wanted.clear();
    m_whole.reset();
  }
  m_pool.waitForDone();
}

void TileRenderer::setContent(const GraphContent& content) {
  const std::lock_guard lock(m_mutex);
  m_content = content;
  ++m_generation;
  m_wanted.clear();
  m_inWork.clear();
}

void TileRenderer::request(const std::vector<TileKey>& tiles) {
  const std::lock_guard lock(m_mutex);
  m_wanted.clear();
  if (m_content.empty()) return;
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
    if (std::ranges::find(m_inWork, *tile) == m_inWork.end()) m_wanted.push_back(*tile);
  }
  startThreads(m_wanted.size());
}

void TileRenderer::requestWhole(const GraphContent& content, double scale, std::uint64_t id,
                                bool urgent) {
  const std::lock_guard lock(m_mutex);
  m_whole = Whole{content, scale, id, urgent};
  startThreads(1);
}

void TileRenderer::startThreads(std::size_t tasks) {
  const int most =
      std::min(m_pool.maxThreadCount(), static_cast<int>(std::min<std::size_t>(tasks, 64)));
  for (; m_threads < most; ++m_threads) m_pool.start([this] { work(); });
}

void TileRenderer::work() {
  while (std::optional<Task> task = next()) {
    if (task->whole) {
      paintWhole(*task->whole);
    } else {
      paintTile(*task);
    }
  }
}

// The thread counts itself out under the same lock under which it finds nothing to do, so that a
// request never waits for a thread that is about to leave.
std::optional<TileRenderer::Task> TileRenderer::next() {
  const std::lock_guard lock(m_mutex);
  if (m_whole && (m_whole->urgent || m_wanted.empty())) {
    return Task{std::exchange(m_whole, std::nullopt), {}, {}, 0};
  }
  if (m_wanted.empty()) {
    --m_threads;
    return std::nullopt;
  }
  const TileKey tile = m_wanted.back();
  m_wanted.pop_back();
  m_inWork.push_back(tile);
  return Task{{}, tile, m_content, m_generation};
}

void TileRenderer::paintWhole(const Whole& whole) {
  const QRectF bounds = whole.content.scene->bounds();
  const QSize size = (bounds.size() * whole.scale).toSize().expandedTo({1, 1});
  const QImage image = paintArea(whole.content, bounds, whole.scale, size);
  QMetaObject::invokeMethod(this, [this, id = whole.id, image] { Q_EMIT wholeReady(id, image); });
}

void TileRenderer::paintTile(const Task& task) {
  const QImage image =
      paintArea(task.content, areaOf(task.tile), task.tile.scale, {kTileSize, kTileSize});
  QMetaObject::invokeMethod(this, [this, tile = task.tile, image, generation = task.generation] {
    if (accept(tile, generation)) Q_EMIT tileReady(tile, image);
  });
}

// On the window's thread: whether a tile that was painted still shows what is to be seen.
bool TileRenderer::accept(const TileKey& tile, std::uint64_t generation) {
  const std::lock_guard lock(m_mutex);
  if (generation != m_generation) return false;
  std::erase(m_inWork, tile);
  return true;
}

}  // namespace quantscope
