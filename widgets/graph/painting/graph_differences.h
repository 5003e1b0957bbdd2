#pragma once

#include <QRectF>
#include <optional>
#include <vector>

#include "widgets/graph/painting/graph_painter.h"

namespace quantscope {

/// Where two pictures of one scene differ, in scene pixels; none where all of it may.
std::optional<std::vector<QRectF>> findDifferences(const GraphContent& a, const GraphContent& b);

/// True where one of the areas reaches into `area`.
bool touchesAny(const std::vector<QRectF>& areas, const QRectF& area);

}  // namespace quantscope
