#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "export/colour_map.h"

using cairo_t = struct _cairo;
using cairo_surface_t = struct _cairo_surface;

namespace quantscope {

/// A drawing of filled areas and text, kept as what was drawn, so that its size may follow from
/// its text. Coordinates are pixels from the upper left; drawn by Cairo.
/// Text is UTF-8 in one line; bytes that are none are drawn as U+FFFD. It is set in Open Sans, or
/// in what the system has instead.
class Picture {
 public:
  /// Which way a line of text runs.
  enum class Direction { Right, Up };
  /// Height of a capital letter in sizes of its text.
  static constexpr double kCapital = 0.714;

  Picture();

  void fill(int x, int y, int width, int height, Colour colour);
  /// Diagonal stripes on what is there.
  void hatch(int x, int y, int width, int height, Colour stripe);
  /// A regular pattern of dots on what is there.
  void dot(int x, int y, int width, int height, Colour colour);
  /// (x, y) is where the baseline begins, `size` the height of the font in pixels.
  void text(double x, double y, std::string_view line, double size, Colour colour,
            Direction direction = Direction::Right);

  /// What a line of text takes, in pixels.
  double textWidth(std::string_view line, double size) const;
  /// The line, shortened in the middle by "…" so that it is at most `width` pixels wide; empty
  /// where not even two characters fit.
  std::string fitted(std::string_view line, double width, double size) const;

  /// What lies within (0, 0) … (width, height), on `background`, as the bytes of a PNG file.
  /// Throws InvalidParameters where Cairo cannot draw it.
  std::string png(int width, int height, Colour background) const;

 private:
  std::shared_ptr<cairo_surface_t> m_stripes;
  std::shared_ptr<cairo_surface_t> m_dots;
  std::shared_ptr<cairo_t> m_context;  // of a recording surface
};

}  // namespace quantscope
