#include "layout/ordered_rows.h"

#include <algorithm>

namespace quantscope {
namespace {

// Each sweep goes down and up once; the order of wide layers settles after a few.
constexpr int kSweeps = 4;

using Rows = std::vector<std::vector<std::size_t>>;

Rows rowsOf(std::span<const std::size_t> layers) {
  Rows rows(layers.empty() ? 0 : *std::ranges::max_element(layers) + 1);
  for (std::size_t box = 0; box < layers.size(); ++box) rows[layers[box]].push_back(box);
  return rows;
}

void centre(const std::vector<std::size_t>& row, std::vector<double>& x) {
  const double middle = static_cast<double>(row.size() - 1) / 2;
  for (std::size_t i = 0; i < row.size(); ++i) x[row[i]] = static_cast<double>(i) - middle;
}

void sortByNeighbours(std::vector<std::size_t>& row,
                      const std::vector<std::vector<std::size_t>>& neighbours,
                      std::vector<double>& x) {
  for (const std::size_t box : row) {
    if (neighbours[box].empty()) continue;
    double sum = 0;
    for (const std::size_t neighbour : neighbours[box]) sum += x[neighbour];
    x[box] = sum / static_cast<double>(neighbours[box].size());
  }
  std::ranges::stable_sort(row, {}, [&](std::size_t box) { return x[box]; });
  centre(row, x);
}

}  // namespace

LayeredDrawing orderedRows(std::span<const std::size_t> layers, std::span<const LayoutEdge> edges) {
  std::vector<std::vector<std::size_t>> above(layers.size());
  std::vector<std::vector<std::size_t>> below(layers.size());
  for (const LayoutEdge& edge : edges) {
    above[edge.to].push_back(edge.from);
    below[edge.from].push_back(edge.to);
  }

  LayeredDrawing drawing;
  drawing.x.resize(layers.size());
  drawing.bends.resize(edges.size());
  Rows rows = rowsOf(layers);
  for (const std::vector<std::size_t>& row : rows) centre(row, drawing.x);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto row = rows.begin(); row != rows.end(); ++row)
      sortByNeighbours(*row, above, drawing.x);
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      sortByNeighbours(*row, below, drawing.x);
    }
  }
  return drawing;
}

}  // namespace quantscope
