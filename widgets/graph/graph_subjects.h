#pragma once

#include <QPointF>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "widgets/graph/drawing/graph_scene.h"
#include "widgets/view/selection.h"
#include "widgets/words/find_matches.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {

/// The subjects of the boxes and edges of a drawing, and the places of subjects. All functions need
/// a snapshot, and a scene that was drawn from one with the same layers.
class GraphSubjects {
 public:
  /// Null = none.
  void setSnapshot(const SnapshotPtr& snapshot);
  void setScene(const GraphScenePtr& scene) { m_scene = scene; }
  /// Counts the findings of the snapshot that are not dismissed.
  void countFindings(const Dismissed& dismissed);

  const SnapshotPtr& snapshot() const { return m_snapshot; }
  const GraphScenePtr& scene() const { return m_scene; }
  const LayerFindings& findings() const { return m_findings; }
  const LayerIndex& layers() const { return m_layers; }
  std::optional<std::size_t> layerOf(NodeId node) const { return m_layers.find(node); }

  Selected selectedBy(const DrawnBox& box) const;
  Selected selectedBy(const DrawnEdge& edge) const;
  static Selected selectedBy(const DrawnFrame& frame);
  std::vector<std::size_t> boxesOf(const Selected& selected) const;
  std::vector<std::size_t> boxesOf(const std::vector<NodeId>& nodes) const;
  std::optional<std::size_t> frameOf(const Selected& selected) const;
  std::vector<std::size_t> boxesOf(const std::vector<SearchMatch>& matches) const;
  /// Upper left corner of a scope, or of the body or layer of `owner`, open or closed.
  std::optional<QPointF> cornerOf(const std::string& scope, NodeId owner) const;

  /// The box that comes first in an open scope, or in the body of `owner`.
  std::optional<QRectF> firstInside(const std::string& scope, NodeId owner) const;

  QString nameOf(const DrawnBox& box) const;
  std::vector<const Finding*> findingsOf(const DrawnBox& box) const;
  FindingsPlace placeOf(const DrawnBox& box) const;

 private:
  SnapshotPtr m_snapshot;
  GraphScenePtr m_scene;
  LayerIndex m_layers;
  LayerFindings m_findings;
};

}  // namespace quantscope
