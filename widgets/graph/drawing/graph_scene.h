#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "widgets/graph/drawing/drawing_options.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/drawing/spatial_index.h"

namespace quantscope {

/// A drawing with indices for painting parts of it and for navigation. Immutable, so that the
/// window and the painting threads share it.
class GraphScene {
 public:
  GraphScene(GraphDrawing drawing, const DrawingOptions& options);

  const std::vector<DrawnBox>& boxes() const { return m_drawing.boxes; }
  const std::vector<DrawnEdge>& edges() const { return m_drawing.edges; }
  const std::vector<DrawnFrame>& frames() const { return m_drawing.frames; }
  const QRectF& bounds() const { return m_drawing.bounds; }
  const DrawingOptions& options() const { return m_options; }
  bool leftToRight() const { return m_options.leftToRight; }

  /// Indices of boxes and edges with a part in `area`, and maybe some near it, in rising order.
  std::vector<std::uint32_t> boxesIn(const QRectF& area) const { return m_boxIndex.find(area); }
  std::vector<std::uint32_t> edgesIn(const QRectF& area) const { return m_edgeIndex.find(area); }

  std::optional<std::size_t> boxAt(const QPointF& point) const;
  /// The nearest edge within `tolerance`.
  std::optional<std::size_t> edgeAt(const QPointF& point, double tolerance) const;
  /// The innermost frame whose title bar is there.
  std::optional<std::size_t> frameTitleAt(const QPointF& point) const;

  /// Indices of the edges that leave and reach a box.
  std::span<const std::uint32_t> edgesFrom(std::size_t box) const { return m_from.of(box); }
  std::span<const std::uint32_t> edgesTo(std::size_t box) const { return m_to.of(box); }

  /// The box that shows a layer, be it that of a scope that holds it.
  std::optional<std::size_t> boxOfLayer(std::size_t layer) const;
  std::optional<std::size_t> boxOfValue(ValueId value) const;
  /// The cards of a collapsed scope, one for each of its parts, or that of the scope that hides it;
  /// none where it is expanded.
  std::vector<std::size_t> boxesOfScope(const std::string& scope) const;
  /// A frame may stand for several scopes of which each holds only the next.
  std::optional<std::size_t> frameOfScope(const std::string& scope) const;
  /// The frame of the opened bodies of a control-flow node.
  std::optional<std::size_t> frameOfBody(NodeId owner) const;

 private:
  struct Lists {
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> items;
    std::span<const std::uint32_t> of(std::size_t i) const {
      return std::span(items).subspan(starts[i], starts[i + 1] - starts[i]);
    }
  };
  static Lists listEdges(const GraphDrawing& drawing, std::size_t DrawnEdge::*end);

  GraphDrawing m_drawing;
  DrawingOptions m_options;
  SpatialIndex m_boxIndex;
  SpatialIndex m_edgeIndex;
  Lists m_from;
  Lists m_to;
  std::unordered_map<std::size_t, std::size_t> m_boxOfLayer;
  std::unordered_map<ValueId, std::size_t> m_boxOfValue;
};

using GraphScenePtr = std::shared_ptr<const GraphScene>;

/// Where the title of a frame and its button for collapsing are, in scene pixels.
QRectF titleBar(const DrawnFrame& frame);
QRectF collapseButton(const DrawnFrame& frame);
/// The button of a card that can be opened: a collapsed scope or a closed body; else empty.
QRectF expandButton(const DrawnBox& box);
bool canExpand(const DrawnBox& box);

}  // namespace quantscope
