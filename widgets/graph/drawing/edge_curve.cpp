#include "widgets/graph/drawing/edge_curve.h"

#include <QLineF>
#include <algorithm>
#include <cmath>
#include <limits>

namespace quantscope {
namespace {

constexpr double kStraight = 0.5;    // scene pixels
constexpr double kSmallestStep = 2;  // picture pixels
constexpr double kCurvesBelow = 12;  // picture pixels: shorter S are lines

// Coordinates along and across the flow.
double along(const QPointF& point, bool leftToRight) {
  return leftToRight ? point.x() : point.y();
}
double across(const QPointF& point, bool leftToRight) {
  return leftToRight ? point.y() : point.x();
}
QPointF at(double along, double across, bool leftToRight) {
  return leftToRight ? QPointF(along, across) : QPointF(across, along);
}

void appendStep(QPainterPath& path, const QPointF& to, bool leftToRight, double scale) {
  const QPointF from = path.currentPosition();
  const double way = along(to, leftToRight) - along(from, leftToRight);
  const double sideways = across(to, leftToRight) - across(from, leftToRight);
  const bool straight = std::abs(sideways) < kStraight || std::abs(way) < kStraight;
  if (straight || std::hypot(way, sideways) * scale < kCurvesBelow) {
    path.lineTo(to);
    return;
  }
  const double middle = along(from, leftToRight) + way / 2;
  path.cubicTo(at(middle, across(from, leftToRight), leftToRight),
               at(middle, across(to, leftToRight), leftToRight), to);
}

double distanceToLine(const QPointF& point, const QPointF& from, const QPointF& to) {
  const QPointF way = to - from;
  const double length = QPointF::dotProduct(way, way);
  const double share =
      length > 0 ? std::clamp(QPointF::dotProduct(point - from, way) / length, 0.0, 1.0) : 0;
  return QLineF(point, from + share * way).length();
}

}  // namespace

QPainterPath edgeCurve(const std::vector<QPointF>& points, bool leftToRight, double scale) {
  QPainterPath path;
  if (points.empty()) return path;
  path.moveTo(points.front());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const QPointF step = points[i] - path.currentPosition();
    const bool last = i + 1 == points.size();
    if (!last && step.manhattanLength() * scale < kSmallestStep) continue;
    appendStep(path, points[i], leftToRight, scale);
  }
  return path;
}

// Near its end an S is as far from it as 3 / 2 of the share of its parameter that is left, times
// its way: its control points stand half way.
QPointF pointBeforeEnd(const std::vector<QPointF>& points, bool leftToRight, double distance) {
  if (points.size() < 2) return points.empty() ? QPointF() : points.front();
  QPainterPath last(points[points.size() - 2]);
  appendStep(last, points.back(), leftToRight, 1);
  const QPointF from = last.elementAt(0);
  const QPointF to = last.currentPosition();
  const double way = std::abs(along(to, leftToRight) - along(from, leftToRight));
  const bool curved = last.elementCount() > 2;
  const double left = way > 0 ? std::min(distance / (curved ? 1.5 * way : way), 0.5) : 0.5;
  if (!curved) return to + (from - to) * left;
  const double t = 1 - left;
  return from * (left * left * left) + QPointF(last.elementAt(1)) * (3 * t * left * left) +
         QPointF(last.elementAt(2)) * (3 * t * t * left) + to * (t * t * t);
}

double distanceToCurve(const QPainterPath& curve, const QPointF& point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const QPolygonF& line : curve.toSubpathPolygons()) {
    for (qsizetype i = 1; i < line.size(); ++i) {
      nearest = std::min(nearest, distanceToLine(point, line[i - 1], line[i]));
    }
  }
  return nearest;
}

}  // namespace quantscope
