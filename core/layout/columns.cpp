#include "layout/columns.h"

#include <algorithm>
#include <cstdint>

// Everything with the same x in units is one column, and the map from units to pixels is a
// function of x alone, so that straight chains stay straight. Its smallest rising solution under
// the distances that neighbours of one layer need leans everything to the left; the same done
// from the right leans to the right. Their mean satisfies the same linear inequalities and
// centres a box between the columns that it stands between.

namespace quantscope {
namespace {

constexpr double kBoxGap = 28;   // between two boxes
constexpr double kEdgeGap = 14;  // between an edge and a box or another edge
constexpr double kPortGap = 20;  // between places where edges cross a border
// Columns closer than this (in units) are one; igraph averages coordinates.
constexpr double kSameColumn = 1e-6;

// One box or bend. A box without width is a place where edges cross a border.
struct Item {
  std::size_t layer = 0;
  std::size_t column = 0;
  double left = 0;  // how far it reaches from its axis
  double right = 0;
  bool box = false;
  double unit = 0;
  double* pixel = nullptr;
};

double gap(const Item& a, const Item& b) {
  if (!a.box || !b.box) return kEdgeGap;
  return a.left + a.right > 0 || b.left + b.right > 0 ? kBoxGap : kPortGap;
}

// Distance from the axis of `a` to that of `b`, which stands right of it.
double distance(const Item& a, const Item& b) {
  return a.right + b.left + gap(a, b);
}

enum class Side : std::uint8_t { Left, Right };

std::vector<Item> itemsOf(LayeredDrawing& pixels, std::span<const LayoutBox> boxes,
                          std::span<const std::size_t> layers) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    items.push_back({.layer = layers[i],
                     .left = boxes[i].width / 2 + boxes[i].axis,
                     .right = boxes[i].width / 2 - boxes[i].axis,
                     .box = true,
                     .unit = pixels.x[i],
                     .pixel = &pixels.x[i]});
  }
  for (std::vector<Bend>& bends : pixels.bends) {
    for (Bend& bend : bends) {
      items.push_back({.layer = bend.layer, .unit = bend.x, .pixel = &bend.x});
    }
  }
  std::ranges::stable_sort(items, {}, &Item::unit);
  for (std::size_t i = 1; i < items.size(); ++i) {
    const bool same = items[i].unit - items[i - 1].unit < kSameColumn;
    items[i].column = items[i - 1].column + (same ? 0 : 1);
  }
  return items;
}

// How far each column is from the side where `items` begins, as near to it as they allow.
std::vector<double> pack(std::span<const Item* const> items, std::size_t layers, Side side) {
  struct Last {
    const Item* item = nullptr;
    double position = 0;
  };
  std::vector<Last> lastOfLayer(layers);
  std::vector<double> positions(items.size(), 0);
  double position = 0;
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    const std::size_t column = items[begin]->column;
    for (end = begin; end < items.size() && items[end]->column == column; ++end) {
      const Last& last = lastOfLayer[items[end]->layer];
      if (last.item == nullptr) continue;
      const double room = side == Side::Left ? distance(*last.item, *items[end])
                                             : distance(*items[end], *last.item);
      position = std::max(position, last.position + room);
    }
    for (std::size_t i = begin; i < end; ++i) lastOfLayer[items[i]->layer] = {items[i], position};
    positions[column] = position;
  }
  return positions;
}

// A drawing whose neighbours are closer than promised would leave boxes over each other.
void pushApart(std::span<const Item* const> items, std::size_t layers) {
  std::vector<const Item*> lastOfLayer(layers, nullptr);
  for (const Item* item : items) {
    const Item*& last = lastOfLayer[item->layer];
    if (last != nullptr)
      *item->pixel = std::max(*item->pixel, *last->pixel + distance(*last, *item));
    last = item;
  }
}

}  // namespace

LayeredDrawing spreadColumns(const LayeredDrawing& drawing, std::span<const LayoutBox> boxes,
                             std::span<const std::size_t> layers) {
  LayeredDrawing pixels = drawing;
  const std::vector<Item> items = itemsOf(pixels, boxes, layers);
  if (items.empty()) return pixels;
  std::vector<const Item*> order;
  for (const Item& item : items) order.push_back(&item);
  const std::size_t layerCount = std::ranges::max_element(items, {}, &Item::layer)->layer + 1;

  const std::vector<double> fromLeft = pack(order, layerCount, Side::Left);
  std::vector<const Item*> reversed(order.rbegin(), order.rend());
  const std::vector<double> fromRight = pack(reversed, layerCount, Side::Right);
  const double width = fromLeft[items.back().column];
  for (const Item& item : items) {
    *item.pixel = (fromLeft[item.column] + width - fromRight[item.column]) / 2;
  }
  pushApart(order, layerCount);
  return pixels;
}

}  // namespace quantscope
