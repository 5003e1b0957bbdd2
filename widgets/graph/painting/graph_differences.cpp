#include "widgets/graph/painting/graph_differences.h"

#include <algorithm>

namespace quantscope {
namespace {

// Badges, outlines and the spots that stand for far boxes reach so far over them.
constexpr double kOverhang = 128;

bool samePalette(const GraphLooks& a, const GraphLooks& b) {
  return a.theme.dark == b.theme.dark && a.font == b.font && a.unit == b.unit &&
         a.boxes.size() == b.boxes.size();
}

}  // namespace

std::optional<std::vector<QRectF>> findDifferences(const GraphContent& a, const GraphContent& b) {
  const bool comparable = a.scene && a.scene == b.scene && samePalette(*a.looks, *b.looks) &&
                          *a.highlight == *b.highlight && !a.marks == !b.marks;
  if (!comparable) return std::nullopt;
  std::vector<QRectF> areas;
  const std::vector<DrawnBox>& boxes = b.scene->boxes();
  const auto add = [&](std::size_t box) {
    areas.push_back(boxes[box].rect.adjusted(-kOverhang, -kOverhang, kOverhang, kOverhang));
  };
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const bool sameMark = !a.marks || a.marks->boxes[i] == b.marks->boxes[i];
    if (!sameMark || a.looks->boxes[i] != b.looks->boxes[i]) add(i);
  }
  // The mark of an edge stands shortly before its end.
  for (std::size_t i = 0; a.marks && i < b.scene->edges().size(); ++i) {
    if (a.marks->edges[i] != b.marks->edges[i]) add(b.scene->edges()[i].to);
  }
  return areas;
}

bool touchesAny(const std::vector<QRectF>& areas, const QRectF& area) {
  return std::ranges::any_of(areas, [&](const QRectF& each) { return each.intersects(area); });
}

}  // namespace quantscope
