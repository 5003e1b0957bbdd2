#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

/// A part of a product: `rows` rows of a and y, and the columns of panels first … end − 1.
///
/// A row of a may lie in several runs of the same length, as the window of a convolution does. Rows
/// may overlap.
struct PanelProduct {
  std::span<const float* const> runs;  ///< where those of the first row begin; at least one
  std::size_t runLength;               ///< k = runs.size() · runLength
  std::size_t aStride;                 ///< from row to row of a
  std::size_t rows;
  const float* panels;  ///< of all of b
  std::size_t n;        ///< columns of b and y
  std::size_t firstPanel;
  std::size_t endPanel;
  float* y;                     ///< [rows, n], row-major: the first column of all
  std::size_t yStride;          ///< from row to row
  const float* bias = nullptr;  ///< [n]; null = none
};

/// y[i, j] = Σ_p a[i, p] · b[p, j] + bias[j], from 0 on, with p in ascending order and the bias
/// last. Each product is added with a single rounding on every target, so the bits depend on
/// nothing but a's row, b's column and its bias.
void multiplyPanels(const PanelProduct& product);

}  // namespace quantscope
