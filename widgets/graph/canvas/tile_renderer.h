#pragma once

#include <QImage>
#include <QObject>
#include <QPoint>
#include <cstdint>
#include <optional>
#include <vector>

#include "widgets/background/newest_work.h"
#include "widgets/graph/painting/graph_painter.h"

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

/// Paints tiles in the background.
class TileRenderer : public QObject {
  Q_OBJECT

 public:
  /// A small picture of a whole graph.
  struct Whole {
    /// All of it but for some areas is as in a picture of the same size.
    struct Patch {
      QImage rest;
      std::vector<QRectF> areas;
    };
    GraphContent content;
    double scale = 1;
    std::uint64_t id = 0;
    bool urgent = false;  ///< before the tiles
    std::optional<Patch> patch = {};
  };

  explicit TileRenderer(QObject* parent = nullptr);

  /// Tiles from now on show this; whatever was asked for before is thrown away.
  void setContent(const GraphContent& content);
  /// The tiles to be painted, the most urgent first, in place of those asked for before that are
  /// not yet being painted.
  void request(const std::vector<TileKey>& tiles);
  /// Also paints the whole; the answer is wholeReady().
  void requestWhole(Whole whole);

 Q_SIGNALS:
  void tileReady(const quantscope::TileKey& tile, const QImage& image);
  void wholeReady(std::uint64_t id, const QImage& image);

 private:
  void queue();
  NewestWork::Item itemOf(const TileKey& tile);
  NewestWork::Item itemOf(const Whole& whole);

  GraphContent m_content;
  std::vector<TileKey> m_tiles;  // asked for last; those that are there by now are not among them
  std::optional<Whole> m_whole;  // until it is there
  NewestWork m_work;
};

/// The part of the scene that a tile covers.
QRectF areaOf(const TileKey& tile);

}  // namespace quantscope
