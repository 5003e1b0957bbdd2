#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/element_bounds.h"

namespace quantscope {

// Matrix products whose right factor B [k, n] lies in panels of kPanelColumns columns: panel by
// panel, and in each row by row, so that a product reads it from its start to its end. The last
// panel is filled up with zeros.

inline constexpr std::size_t kPanelColumns = 16;

constexpr std::size_t panelCount(std::size_t n) {
  return (n + kPanelColumns - 1) / kPanelColumns;
}

/// A float32 matrix in memory; strides in elements.
struct StridedMatrix {
  const float* data;
  std::int64_t rowStride;
  std::int64_t columnStride;
};

/// Writes the panels from `first` until before `end` of b [k, n] to where they belong in `panels`,
/// which has room for panelCount(n) · k · kPanelColumns elements.
void packPanels(const StridedMatrix& b, std::size_t k, std::size_t n, std::size_t first,
                std::size_t end, float* panels);

/// Rows of the left factor A [count, k].
///
/// A row may lie in several runs of the same length, as the window of a convolution does, and rows
/// may lie in lines, as those of an image do. Rows may overlap.
struct FactorRows {
  std::span<const float* const> runs;  ///< where those of the first row begin; at least one
  std::size_t runLength;               ///< k = runs.size() · runLength
  std::size_t stride;                  ///< from row to row of a line
  std::size_t count;
  std::size_t lineRows = std::numeric_limits<std::size_t>::max();  ///< fewer in the last line
  std::size_t lineStride = 0;  ///< from line to line, where there are several

  std::size_t length() const { return runs.size() * runLength; }
};

/// A part of a product: some rows of A and y, and the columns of panels first … end − 1.
struct PanelProduct {
  FactorRows a;
  const float* panels;  ///< of all of b
  std::size_t n;        ///< columns of b and y
  std::size_t firstPanel;
  std::size_t endPanel;
  std::size_t nextPanel = 0;    ///< with which the next product will begin, by all likelihood
  float* y;                     ///< [a.count, n], row-major: the first column of all
  std::size_t yStride;          ///< from row to row
  const float* bias = nullptr;  ///< [n]; null = none
  ElementBounds bounds = {};
};

/// y[i, j] = Σ_p a[i, p] · b[p, j] + bias[j], from 0 on, with p in ascending order and the bias
/// last, put between the bounds. Each product is added with a single rounding on every target, so
/// the bits depend on nothing but a's row, b's column and its bias.
void multiplyPanels(const PanelProduct& product);

}  // namespace quantscope
