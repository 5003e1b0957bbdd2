#pragma once

#include <QHash>
#include <QImage>
#include <QObject>
#include <QPainter>
#include <optional>
#include <vector>

#include "widgets/graph/canvas/graph_camera.h"
#include "widgets/graph/canvas/tile_renderer.h"

namespace quantscope {

/// Paints any part of a graph at once, however large it is: from pieces that are painted in the
/// background and kept. A missing piece is replaced by pieces at other scales, in the worst case by
/// a small picture of the whole graph, so that nothing is ever blank.
class GraphTiles : public QObject {
  Q_OBJECT

 public:
  explicit GraphTiles(QObject* parent = nullptr);

  /// Another picture of the same scene replaces the old one piece by piece. A picture of another
  /// scene is prepared first: the painted content changes with sceneChanged().
  void setContent(const GraphContent& content);
  void clear();
  /// The painted content; content in preparation does not count.
  const GraphContent& content() const { return m_content; }

  /// Paints all that the camera sees. `moving`: the scale is about to change again, so pieces that
  /// would soon be useless are not asked for.
  void paint(QPainter& painter, const GraphCamera& camera, bool moving);
  /// True where the last paint() showed every piece as it should be.
  bool sharp() const { return m_sharp; }

 Q_SIGNALS:
  void sceneChanged();
  /// There is something better to paint in a part of the scene; an empty one = everywhere.
  void improved(const QRectF& area);

 private:
  struct Tile {
    QImage image;
    bool stale = false;
    quint64 lastUse = 0;
  };
  struct Layer {
    double scale = 1;
    QHash<QPoint, Tile> tiles;
  };
  struct View;

  void outdate(const std::optional<std::vector<QRectF>>& changed);
  void takeWhole(std::uint64_t id, const QImage& image);
  void takeTile(const TileKey& key, const QImage& image);
  Layer& layer(double scale);
  Layer* find(double scale);
  void standIn(QPainter& painter, const View& view, const QRectF& target);
  bool paintFrom(QPainter& painter, const View& view, Layer& layer, const QRectF& target);
  void ask(const View& view, const std::vector<QPoint>& missing);
  void forget(std::size_t most);

  GraphContent m_content;
  GraphContent m_next;  // its whole is being painted
  std::uint64_t m_nextId = 0;
  TileRenderer m_renderer;
  QImage m_whole;
  double m_wholeScale = 1;
  std::vector<Layer> m_layers;
  quint64 m_use = 0;
  bool m_sharp = false;
};

}  // namespace quantscope
