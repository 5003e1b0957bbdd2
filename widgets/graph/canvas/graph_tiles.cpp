#include "widgets/graph/canvas/graph_tiles.h"

#include <algorithm>
#include <cmath>

#include "widgets/graph/painting/graph_differences.h"

namespace quantscope {
namespace {

// Pixels of the picture of the whole graph: two million are 8 MB.
constexpr double kWholePixels = 2e6;
constexpr double kLargestWholeScale = 0.5;
// While the scale keeps changing, pieces are asked for only where those that stand in for them are
// this many times too small or too large.
constexpr double kBlurLimit = 1.45;
// Kept beside those on screen: enough to zoom in and out over some steps.
constexpr std::size_t kScreensKept = 6;
constexpr std::size_t kFewestKept = 48;

double wholeScale(const QRectF& bounds) {
  const double area = std::max(1.0, bounds.width() * bounds.height());
  const double side = 16'000 / std::max({bounds.width(), bounds.height(), 1.0});
  return std::min({std::sqrt(kWholePixels / area), side, kLargestWholeScale});
}

double mismatch(double a, double b) {
  return std::max(a / b, b / a);
}

QRect placesIn(const QRectF& area, double scale) {
  const double size = kTileSize / scale;
  const auto at = [size](double position) { return static_cast<int>(std::floor(position / size)); };
  return {QPoint(at(area.left()), at(area.top())), QPoint(at(area.right()), at(area.bottom()))};
}

}  // namespace

// The visible area, in device pixels: pieces lie on whole pixels.
struct GraphTiles::View {
  double scale = 1;  // device pixels per scene pixel
  double pixelRatio = 1;
  QPointF origin;  // in device pixels
  QRectF visible;  // in the scene
  bool moving = false;

  QRectF scene(const QRectF& target) const {
    const QRectF device(target.topLeft() * pixelRatio, target.size() * pixelRatio);
    return {(device.topLeft() - origin) / scale, device.size() / scale};
  }
  QRectF target(const QRectF& area) const {
    const QPointF topLeft = area.topLeft() * scale + origin;
    const QPointF bottomRight = area.bottomRight() * scale + origin;
    const QPointF from(std::round(topLeft.x()), std::round(topLeft.y()));
    const QPointF to(std::round(bottomRight.x()), std::round(bottomRight.y()));
    return {from / pixelRatio, to / pixelRatio};
  }
};

namespace {

// The part of a picture of `area` at another scale that falls into `target`. Only that part is
// handed to the painter, whose arithmetic ends at 32,767 pixels.
template <class View>
void paintScaled(QPainter& painter, const View& view, const QImage& image, const QRectF& area,
                 double imageScale, const QRectF& target) {
  const QRectF wanted = view.scene(target) & area;
  if (wanted.isEmpty()) return;
  const QRectF inImage((wanted.topLeft() - area.topLeft()) * imageScale,
                       wanted.size() * imageScale);
  const QRect source = inImage.toAlignedRect() & image.rect();
  const QRectF sourceArea(QPointF(source.topLeft()) / imageScale + area.topLeft(),
                          QSizeF(source.size()) / imageScale);
  painter.drawImage(view.target(sourceArea), image, source);
}

}  // namespace

GraphTiles::GraphTiles(QObject* parent) : QObject(parent) {
  connect(&m_renderer, &TileRenderer::wholeReady, this, &GraphTiles::takeWhole);
  connect(&m_renderer, &TileRenderer::tileReady, this, &GraphTiles::takeTile);
}

void GraphTiles::clear() {
  m_content = {};
  m_next = {};
  ++m_nextId;
  m_layers.clear();
  m_whole = {};
  m_renderer.setContent({});
}

void GraphTiles::setContent(const GraphContent& content) {
  TileRenderer::Whole whole{.content = content,
                            .scale = wholeScale(content.scene->bounds()),
                            .id = ++m_nextId,
                            // For a scene on screen the visible pieces come first.
                            .urgent = m_content.scene != content.scene};
  if (m_content.scene == content.scene) {
    const std::optional<std::vector<QRectF>> changed = findDifferences(m_content, content);
    // A picture of the whole that is still being painted is of something older.
    if (changed && m_next.empty()) whole.patch = {m_whole, *changed};
    m_content = content;
    m_renderer.setContent(content);
    outdate(changed);
    Q_EMIT improved({});
  }
  m_next = content;
  m_renderer.requestWhole(std::move(whole));
}

// nullopt = everywhere.
void GraphTiles::outdate(const std::optional<std::vector<QRectF>>& changed) {
  for (Layer& layer : m_layers) {
    for (auto tile = layer.tiles.begin(); tile != layer.tiles.end(); ++tile) {
      tile->stale =
          tile->stale || !changed || touchesAny(*changed, areaOf({layer.scale, tile.key()}));
    }
  }
}

void GraphTiles::takeWhole(std::uint64_t id, const QImage& image) {
  if (id != m_nextId || m_next.empty()) return;
  m_whole = image;
  m_wholeScale = wholeScale(m_next.scene->bounds());
  const bool other = m_next.scene != m_content.scene;
  m_content = std::exchange(m_next, {});
  if (other) {
    m_layers.clear();
    m_renderer.setContent(m_content);
    Q_EMIT sceneChanged();
  }
  Q_EMIT improved({});
}

void GraphTiles::takeTile(const TileKey& key, const QImage& image) {
  layer(key.scale).tiles[key.place] = {.image = image, .stale = false, .lastUse = m_use};
  Q_EMIT improved(areaOf(key));
}

GraphTiles::Layer* GraphTiles::find(double scale) {
  const auto found = std::ranges::find(m_layers, scale, &Layer::scale);
  return found == m_layers.end() ? nullptr : &*found;
}

GraphTiles::Layer& GraphTiles::layer(double scale) {
  if (Layer* existing = find(scale)) return *existing;
  return m_layers.emplace_back(Layer{.scale = scale, .tiles = {}});
}

void GraphTiles::paint(QPainter& painter, const GraphCamera& camera, bool moving) {
  m_sharp = false;
  if (m_content.empty()) return;
  ++m_use;
  const double ratio = camera.pixelRatio();
  const View view{.scale = camera.scale() * ratio,
                  .pixelRatio = ratio,
                  .origin = camera.origin() * ratio,
                  .visible = camera.visible(),
                  .moving = moving};
  const QRect places = placesIn(view.visible, view.scale);
  std::vector<QPoint> missing;
  Layer* current = find(view.scale);
  std::vector<std::pair<QRectF, const Tile*>> found;
  for (int y = places.top(); y <= places.bottom(); ++y) {
    for (int x = places.left(); x <= places.right(); ++x) {
      const QPoint place(x, y);
      const QRectF target = view.target(areaOf({view.scale, place}));
      const auto tile =
          current != nullptr ? current->tiles.find(place) : QHash<QPoint, Tile>::iterator();
      const bool there = current != nullptr && tile != current->tiles.end();
      if (!there || tile->stale) missing.push_back(place);
      if (!there) {
        standIn(painter, view, target);
        continue;
      }
      tile->lastUse = m_use;
      painter.drawImage(target, tile->image);
    }
  }
  m_sharp = missing.empty();
  ask(view, missing);
  forget(std::max(kFewestKept, kScreensKept * static_cast<std::size_t>(places.width()) *
                                   static_cast<std::size_t>(places.height())));
}

// `target` in the widget's pixels.
void GraphTiles::standIn(QPainter& painter, const View& view, const QRectF& target) {
  std::vector<Layer*> candidates;
  for (Layer& layer : m_layers) {
    if (layer.scale != view.scale && !layer.tiles.empty()) candidates.push_back(&layer);
  }
  std::ranges::sort(candidates, {},
                    [&](const Layer* layer) { return mismatch(layer->scale, view.scale); });
  painter.save();
  painter.setClipRect(target, Qt::IntersectClip);
  const bool covered = !candidates.empty() && paintFrom(painter, view, *candidates.front(), target);
  if (!covered) {
    const QRectF bounds = m_content.scene->bounds();
    painter.fillRect(target, m_content.looks->theme.surface);
    paintScaled(painter, view, m_whole, bounds, m_wholeScale, target);
    for (std::size_t i = std::min<std::size_t>(candidates.size(), 2); i-- > 0;) {
      paintFrom(painter, view, *candidates[i], target);
    }
  }
  painter.restore();
}

// True where the layer has every piece of the target.
bool GraphTiles::paintFrom(QPainter& painter, const View& view, Layer& layer,
                           const QRectF& target) {
  const double hair = 0.01 / view.scale;  // a neighbour that is only touched is not needed
  const QRect places = placesIn(view.scene(target).adjusted(hair, hair, -hair, -hair), layer.scale);
  if (static_cast<std::size_t>(places.width()) * static_cast<std::size_t>(places.height()) > 64) {
    return false;
  }
  bool complete = true;
  for (int y = places.top(); y <= places.bottom(); ++y) {
    for (int x = places.left(); x <= places.right(); ++x) {
      const auto tile = layer.tiles.find(QPoint(x, y));
      if (tile == layer.tiles.end()) {
        complete = false;
        continue;
      }
      tile->lastUse = m_use;
      const QRectF area = areaOf({layer.scale, QPoint(x, y)});
      paintScaled(painter, view, tile->image, area, layer.scale, target);
    }
  }
  return complete;
}

void GraphTiles::ask(const View& view, const std::vector<QPoint>& missing) {
  if (view.moving) {
    for (const Layer& layer : m_layers) {
      const bool used = std::ranges::any_of(
          layer.tiles, [this](const Tile& tile) { return tile.lastUse == m_use; });
      if (used && mismatch(layer.scale, view.scale) < kBlurLimit) return;
    }
  }
  std::vector<TileKey> keys;
  for (const QPoint& place : missing) keys.push_back({view.scale, place});
  const QPointF middle = view.visible.center();
  const auto distance = [&](const TileKey& key) {
    return (areaOf(key).center() - middle).manhattanLength();
  };
  std::ranges::sort(keys, {}, distance);
  if (missing.empty() && !view.moving) {
    // A rim around the screen, for panning.
    const Layer* current = find(view.scale);
    const QRect places = placesIn(view.visible, view.scale);
    const QRect rim =
        placesIn(m_content.scene->bounds(), view.scale) & places.adjusted(-1, -1, 1, 1);
    for (int y = rim.top(); y <= rim.bottom(); ++y) {
      for (int x = rim.left(); x <= rim.right(); ++x) {
        const auto tile = current->tiles.find(QPoint(x, y));
        if (tile == current->tiles.end() || tile->stale) keys.push_back({view.scale, QPoint(x, y)});
      }
    }
  }
  m_renderer.request(keys);
}

void GraphTiles::forget(std::size_t most) {
  std::vector<quint64> uses;
  for (const Layer& layer : m_layers) {
    for (const Tile& tile : layer.tiles) uses.push_back(tile.lastUse);
  }
  if (uses.size() <= most) return;
  const auto oldest = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() - most);
  std::ranges::nth_element(uses, oldest);
  for (Layer& layer : m_layers) {
    layer.tiles.removeIf(
        [&](const QHash<QPoint, Tile>::iterator tile) { return tile->lastUse < *oldest; });
  }
  std::erase_if(m_layers, [](const Layer& layer) { return layer.tiles.empty(); });
}

}  // namespace quantscope
