#pragma once

#include <optional>

#include "widgets/graph/drawing/graph_scene.h"

namespace quantscope {

/// The way that an arrow key points.
enum class WalkDirection { Left, Right, Up, Down };

/// Where an arrow key leads from a box: along the flow to the nearest box that an edge leads to or
/// comes from, across it to the next box beside. None where there is none.
std::optional<std::size_t> walk(const GraphScene& scene, std::size_t from, WalkDirection direction);

}  // namespace quantscope
