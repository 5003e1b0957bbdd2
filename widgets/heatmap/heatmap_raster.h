#pragma once

#include <QImage>
#include <QRgb>
#include <array>

#include "widgets/heatmap/heatmap_scene.h"
#include "widgets/look/theme.h"

class QFont;

namespace quantscope {

/// Colours of cells as pixels.
class HeatmapColours {
 public:
  HeatmapColours() = default;
  /// `scale`: of any measure of the data; all are of errors, or all of differences.
  HeatmapColours(const Theme& theme, double threshold, const ErrorScale& scale);

  QRgb surface() const { return m_surface; }
  /// The pixel of a cell with that heat; x and y are pixels of the whole table, so that patterns
  /// run on from cell to cell.
  QRgb at(float heat, int x, int y) const;
  /// True where a cell has one colour all over.
  static bool plain(float heat) { return isFigure(heat) || heat == kEmptyHeat; }

 private:
  std::array<QRgb, 256> m_ramp{};
  QRgb m_surface = 0;
  QRgb m_calm = 0;
  QRgb m_ground = 0;
  QRgb m_lines = 0;
  double m_threshold = 0;
};

/// The cells of a heatmap as an image that is kept: scrolling moves it and draws only the new
/// part.
class HeatmapRaster {
 public:
  /// Everything is drawn anew: other figures, another zoom, threshold or theme.
  void invalidate() { m_valid = false; }
  /// The cells from `layout.origin` on, in the size of `layout.cells`, with its device pixel ratio.
  const QImage& image(const HeatmapScene& scene, const HeatmapLayout& layout, const Theme& theme,
                      const QFont& font);

 private:
  void scroll(QPoint delta);
  void draw(const HeatmapScene& scene, const HeatmapLayout& layout, const QRect& exposed);
  void drawNumbers(const HeatmapScene& scene, const HeatmapLayout& layout, const QFont& font,
                   const QRect& exposed);

  QImage m_image;
  QPoint m_origin;
  HeatmapColours m_colours;
  double m_threshold = 0;
  bool m_valid = false;
};

}  // namespace quantscope
