#pragma once

namespace quantscope {

/// Neighbouring cells, the end excluded.
struct CellSpan {
  int first = 0;
  int end = 0;
  int count() const { return end - first; }
  friend bool operator==(CellSpan, CellSpan) = default;
};

/// Where the rows or columns of a heatmap lie on a line of pixels. Cells of a pixel and more share
/// no pixel; of smaller ones, every pixel covers one or more. Either way every cell belongs to
/// exactly one run of pixels, so none is skipped at any zoom.
struct CellAxis {
  int count = 0;
  double size = 1;  ///< pixels per cell, > 0

  int length() const;
  /// The cells that the pixel stands for; empty outside of 0 … length().
  CellSpan cellsAt(int pixel) const;
  /// First pixel of a cell, and the pixel behind its last.
  int begin(int cell) const;
  int end(int cell) const;

 private:
  int edge(int cell) const;
};

}  // namespace quantscope
