#include "layout/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "layout/columns.h"
#include "layout/edge_routes.h"
#include "layout/layering.h"
#include "layout/ordered_rows.h"
#include "layout/sugiyama.h"

namespace quantscope {
namespace {

// Edges that span more layers run beside the drawing.
constexpr std::size_t kMaxSpan = 30;
// igraph needs about a second for as many bends.
constexpr std::size_t kMaxBends = 60'000;

constexpr double kRowGap = 38;
// Above a row that holds nothing but places where edges cross a border.
constexpr double kPortRowGap = 22;
// Rows between which edges travel far sideways stand further apart, so that the edges stay
// legible: this part of the farthest way, up to a limit.
constexpr double kRowGapPerTravel = 0.06;
constexpr double kMaxRowGap = 120;

std::vector<std::size_t> spansOf(std::span<const LayoutEdge> edges,
                                 std::span<const std::size_t> layers) {
  std::vector<std::size_t> spans;
  for (const LayoutEdge& edge : edges) spans.push_back(layers[edge.to] - layers[edge.from]);
  return spans;
}

// The largest span whose edges, with all shorter ones, still bend at an affordable number of
// places.
std::size_t affordableSpan(std::span<const std::size_t> spans) {
  std::size_t bends[kMaxSpan + 1] = {};
  for (const std::size_t span : spans) {
    if (span <= kMaxSpan) bends[span] += span - 1;
  }
  std::size_t affordable = 1;
  for (std::size_t total = 0; affordable < kMaxSpan; ++affordable) {
    total += bends[affordable + 1];
    if (total > kMaxBends) break;
  }
  return affordable;
}

// The edges that go through the layers and those that go beside them, by index.
struct SplitEdges {
  std::vector<std::size_t> through;
  std::vector<std::size_t> beside;
};

SplitEdges split(std::span<const std::size_t> spans, std::size_t maxSpan) {
  SplitEdges result;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    (spans[i] <= maxSpan ? result.through : result.beside).push_back(i);
  }
  return result;
}

std::vector<LayoutEdge> select(std::span<const LayoutEdge> edges,
                               std::span<const std::size_t> indices) {
  std::vector<LayoutEdge> selected;
  for (const std::size_t i : indices) selected.push_back(edges[i]);
  return selected;
}

void stretch(Row& row, double left, double right) {
  row.left = std::min(row.left, left);
  row.right = std::max(row.right, right);
}

// The farthest way that an edge goes sideways below each row.
std::vector<double> sidewaysTravel(const LayeredDrawing& drawing,
                                   std::span<const std::size_t> layers,
                                   std::span<const LayoutEdge> through, std::size_t rows) {
  std::vector<double> travel(rows, 0);
  for (std::size_t i = 0; i < through.size(); ++i) {
    double x = drawing.x[through[i].from];
    std::size_t row = layers[through[i].from];
    const auto goTo = [&](double next) {
      travel[row] = std::max(travel[row], std::abs(next - x));
      x = next;
      ++row;
    };
    for (const Bend& bend : drawing.bends[i]) goTo(bend.x);
    if (row < layers[through[i].to]) goTo(drawing.x[through[i].to]);
  }
  return travel;
}

std::vector<Row> rowsOf(const LayeredDrawing& drawing, std::span<const LayoutBox> boxes,
                        std::span<const std::size_t> layers, std::span<const LayoutEdge> through) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Row> rows(*std::ranges::max_element(layers) + 1,
                        Row{.left = kInfinity, .right = -kInfinity});
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Row& row = rows[layers[i]];
    row.bottom = std::max(row.bottom, boxes[i].height);
    const double centre = drawing.x[i] - boxes[i].axis;
    stretch(row, centre - boxes[i].width / 2, centre + boxes[i].width / 2);
  }
  for (const std::vector<Bend>& bends : drawing.bends) {
    for (const Bend& bend : bends) stretch(rows[bend.layer], bend.x, bend.x);
  }
  const std::vector<double> travel = sidewaysTravel(drawing, layers, through, rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double least = rows[i].bottom > 0 ? kRowGap : kPortRowGap;
    rows[i].top =
        rows[i - 1].bottom + std::clamp(kRowGapPerTravel * travel[i - 1], least, kMaxRowGap);
    rows[i].bottom += rows[i].top;
  }
  return rows;
}

// Moves the drawing so that it begins at (0, 0), and measures it.
void fit(GraphLayout& layout, std::span<const Row> rows) {
  const double left = std::ranges::min_element(rows, {}, &Row::left)->left;
  for (LayoutPoint& centre : layout.centres) centre.x -= left;
  for (std::vector<LayoutPoint>& route : layout.routes) {
    for (LayoutPoint& point : route) point.x -= left;
  }
  layout.width = std::ranges::max_element(rows, {}, &Row::right)->right - left;
  layout.height = rows.back().bottom;
}

}  // namespace

GraphLayout layoutGraph(const std::vector<LayoutBox>& boxes, const std::vector<LayoutEdge>& edges) {
  const std::vector<std::size_t> layers = pinnedLayers(boxes, edges);
  if (boxes.empty()) return {};
  const std::vector<std::size_t> spans = spansOf(edges, layers);
  SplitEdges parts = split(spans, affordableSpan(spans));
  std::vector<LayoutEdge> through = select(edges, parts.through);
  std::optional<LayeredDrawing> units = sugiyamaDrawing(layers, through);
  if (!units) {
    parts = split(spans, 1);
    through = select(edges, parts.through);
    units = orderedRows(layers, through);
  }

  const LayeredDrawing drawing = spreadColumns(*units, boxes, layers);
  PlacedBoxes placed{boxes, layers, {}, rowsOf(drawing, boxes, layers, through)};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Row& row = placed.rows[layers[i]];
    const double y = boxes[i].pin == LayoutPin::Late ? row.bottom - boxes[i].height / 2
                                                     : (row.top + row.bottom) / 2;
    placed.centres.push_back({drawing.x[i] - boxes[i].axis, y});
  }

  GraphLayout layout;
  layout.routes.resize(edges.size());
  for (std::size_t i = 0; i < through.size(); ++i) {
    layout.routes[parts.through[i]] = routeThrough(placed, through[i], drawing.bends[i]);
  }
  auto beside = routeBeside(placed, select(edges, parts.beside));
  for (std::size_t i = 0; i < beside.size(); ++i) {
    layout.routes[parts.beside[i]] = std::move(beside[i]);
  }
  layout.centres = placed.centres;
  fit(layout, placed.rows);
  return layout;
}

}  // namespace quantscope
