#pragma once

#include <QPainterPath>
#include <QPointF>
#include <vector>

namespace quantscope {

/// The smooth curve of an edge: straight along the direction that the graph flows in, an S
/// to points that are beside it. `scale` is that of the
/// picture: steps too small to be seen are left out.
QPainterPath edgeCurve(const std::vector<QPointF>& points, bool leftToRight, double scale = 1);

/// A point of the curve about `distance` before its end, along the direction of the flow; at most
/// half way back to the point before the last.
QPointF pointBeforeEnd(const std::vector<QPointF>& points, bool leftToRight, double distance);

/// Distance of a point from the curve.
double distanceToCurve(const QPainterPath& curve, const QPointF& point);

}  // namespace quantscope
