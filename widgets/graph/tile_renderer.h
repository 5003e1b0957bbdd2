#pragma once

#include <QImage>
#include <QObject>
#include <QPoint>
#include <QThreadPool>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "widgets/graph/graph_painter.h"

namespace quantscope {

/// One square of a graph's picture, by its scale (picture pixels per scene pixel) and its place in
/// the grid of squares that begins at the scene's origin.
struct TileKey {
  double scale = 1;
  QPoint place;
  friend bool operator==(const TileKey&, const TileKey&) = default;
};

/// Width and height of a tile in picture pixels.
inline constexpr int kTileSize = 512;

/// Paints tiles on threads of its own.
class TileRenderer : public QObject {
  Q_OBJECT

 public:
  explicit TileRenderer(QObject* parent = nullptr);
  /// Waits for the tiles that are being painted.
  ~TileRenderer() override;

  /// Tiles from now on show this; those in work of earlier content are thrown away.
  void setContent(const GraphContent& content);
  /// The tiles to be painted, the most urgent first, in place of those asked for before that are
  /// not yet being painted.
  void request(const std::vector<TileKey>& tiles);
  /// Also paints the whole of `content` at `scale`, before or after the tiles; the answer is
  /// wholeReady().
  void requestWhole(const GraphContent& content, double scale, std::uint64_t id, bool urgent);

 Q_SIGNALS:
  void tileReady(const quantscope::TileKey& tile, const QImage& image);
  void wholeReady(std::uint64_t id, const QImage& image);

 private:
  struct Whole {
    GraphContent content;
    double scale;
    std::uint64_t id;
    bool urgent;
  };
  struct Task {
    std::optional<Whole> whole;  // or the tile
    TileKey tile;
    GraphContent content;
    std::uint64_t generation;
  };
  void startThreads(std::size_t tasks);
  void work();
  std::optional<Task> next();
  void paintWhole(const Whole& whole);
  void paintTile(const Task& task);
  bool accept(const TileKey& tile, std::uint64_t generation);

  std::mutex m_mutex;  // guards what follows, up to m_pool
  GraphContent m_content;
  std::uint64_t m_generation = 0;
  std::vector<TileKey> m_wanted;  // the most urgent last
  std::vector<TileKey> m_inWork;  // of this generation
  std::optional<Whole> m_whole;
  int m_threads = 0;
  QThreadPool m_pool;
};

/// The part of the scene that a tile covers.
QRectF areaOf(const TileKey& tile);

}  // namespace quantscope
