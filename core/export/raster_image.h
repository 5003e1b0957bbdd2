#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "export/colour_map.h"

namespace quantscope {

/// A stroke of a round pen: from (x, y) by (dx, dy), in pixels.
struct PenStroke {
  double x = 0;
  double y = 0;
  double dx = 0;
  double dy = 0;
};

/// A picture of opaque pixels to draw on. Everything outside it is cut off.
class RasterImage {
 public:
  /// Which way a line of text runs.
  enum class Direction { Right, Up };

  RasterImage(int width, int height, Colour background);

  int width() const { return m_width; }
  int height() const { return m_height; }
  Colour pixel(int x, int y) const { return m_pixels[index(x, y)]; }

  void fill(int x, int y, int width, int height, Colour colour);
  /// Diagonal stripes on what is there.
  void hatch(int x, int y, int width, int height, Colour stripe);
  /// A regular pattern of dots on what is there.
  void dot(int x, int y, int width, int height, Colour colour);
  /// One line of text; (x, y) is where its baseline begins, `dot` the size of the glyphs' dots in
  /// pixels: capitals are 6 · dot high.
  void text(double x, double y, std::string_view line, double dot, Colour colour,
            Direction direction = Direction::Right);

  /// The picture as the bytes of a PNG file.
  std::string png() const;

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width) +
           static_cast<std::size_t>(x);
  }
  void drawStrokes(const std::vector<PenStroke>& strokes, double radius, Colour colour);
  void blend(int x, int y, Colour colour, double share);
  template <class Condition>
  void fillWhere(int x, int y, int width, int height, Colour colour, Condition&& condition);

  int m_width;
  int m_height;
  std::vector<Colour> m_pixels;
};

/// Width in pixels of a line of text.
double textWidth(std::string_view line, double dot);

/// The line, shortened in the middle by ".." so that it is at most `width` pixels wide.
std::string fitted(std::string_view line, double width, double dot);

}  // namespace quantscope
