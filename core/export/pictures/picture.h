#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "export/pictures/colour_map.h"

using cairo_t = struct _cairo;
using cairo_surface_t = struct _cairo_surface;

namespace quantscope {

/// A drawing of filled areas and text by Cairo. Drawing operations are recorded, so the size of the
/// picture can be chosen after the text was measured. Coordinates are pixels from the upper left.
/// Text is one line of UTF-8; invalid bytes are drawn as U+FFFD. The font is Open Sans, or the
/// system's substitute.
class Picture {
 public:
  /// The direction of a line of text.
  enum class Direction { Right, Up };
  /// Height of a capital letter in sizes of its text.
  static constexpr double kCapital = 0.714;

  Picture();

  void fill(int x, int y, int width, int height, Colour colour);
  /// Diagonal stripes over an area.
  void hatch(int x, int y, int width, int height, Colour stripe);
  /// A regular pattern of dots over an area.
  void dot(int x, int y, int width, int height, Colour colour);
  /// (x, y) is where the baseline begins, `size` the height of the font in pixels.
  void text(double x, double y, std::string_view line, double size, Colour colour,
            Direction direction = Direction::Right);

  /// The width of a line of text in pixels.
  double textWidth(std::string_view line, double size) const;
  /// The line, shortened in the middle by "…" so that it is at most `width` pixels wide; empty
  /// where not even two characters fit.
  std::string fitted(std::string_view line, double width, double size) const;

  /// The area (0, 0) … (width, height) on `background`, as the bytes of a PNG file. Throws
  /// InvalidParameters where Cairo cannot draw it.
  std::string png(int width, int height, Colour background) const;
  /// The same as an SVG file that stands for itself: text is drawn as outlines, so that it needs no
  /// font and holds nothing that a name could end.
  std::string svg(int width, int height, Colour background) const;

  friend std::string pdfOf(std::span<const struct PicturePage> pages, Colour background);

 private:
  void paintOn(cairo_surface_t* surface, Colour background) const;

  std::shared_ptr<cairo_surface_t> m_stripes;
  std::shared_ptr<cairo_surface_t> m_dots;
  std::shared_ptr<cairo_t> m_context;  // of a recording surface
};

/// A drawing with its size.
struct PicturePage {
  Picture picture;
  int width = 0;
  int height = 0;
};

/// The drawings as the pages of a PDF file, a pixel as a point (1/72 inch). There is at least one.
/// No date is in it: equal drawings give equal bytes. Throws InvalidParameters where Cairo cannot
/// draw it.
std::string pdfOf(std::span<const PicturePage> pages, Colour background);

}  // namespace quantscope
