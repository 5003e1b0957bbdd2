#pragma once

#include <QPainter>
#include <cstdint>
#include <memory>
#include <vector>

#include "precision/sharing/observer_placement.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/drawing/graph_scene.h"
#include "widgets/look/theme.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// The observers that a drawing shows. Immutable.
struct ObserverMarks {
  /// None, or where an observer sits and what reuses it.
  enum class Mark : std::uint8_t { None, ReusesOutput, ReusesEdge, OnEdge };

  std::vector<Mark> edges;          ///< by edge of the drawing; of several the last of the list
  std::vector<std::uint8_t> boxes;  ///< by box: 1 where an observer sits at its output

  friend bool operator==(const ObserverMarks&, const ObserverMarks&) = default;
};

using ObserverMarksPtr = std::shared_ptr<const ObserverMarks>;

/// The marks of a scene that was drawn from the snapshot's layers. Collapsed scopes and bodies have
/// none: they hide whose observers these are.
ObserverMarksPtr makeObserverMarks(const GraphScene& scene, const AnalysisSnapshot& snapshot,
                                   const LayerIndex& layers);

/// The mark of an edge, shortly before its end; of a box, at the side where its edges leave.
void paintMark(QPainter& painter, const DrawnEdge& edge, ObserverMarks::Mark mark, bool leftToRight,
               const Theme& theme);
void paintOutputMark(QPainter& painter, const DrawnBox& box, bool leftToRight, const Theme& theme);
/// The same shapes for a legend, around a place.
void paintMarkShape(QPainter& painter, const QPointF& place, ObserverMarks::Mark mark,
                    const Theme& theme);
void paintOutputShape(QPainter& painter, const QPointF& place, const Theme& theme);

}  // namespace quantscope
