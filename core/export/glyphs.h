#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quantscope {

/// A straight pen stroke between two dots of the glyph's grid, (0, 0) at the upper left.
struct Stroke {
  float fromX = 0;
  float fromY = 0;
  float toX = 0;
  float toY = 0;
};

/// A character drawn by a pen on a grid of dots: capitals stand on the line of row 6 and begin at
/// row 0, descenders reach to row 8.
struct Glyph {
  static constexpr float kBaseline = 6;
  std::span<const Stroke> strokes;
  float advance = 0;  ///< to the next character; the same for all digits
};

/// A box for bytes outside printable ASCII.
const Glyph& glyphOf(char character);

/// Width of a line of text in dots.
float widthInDots(std::string_view text);

/// `text` as it is drawn: every character outside ASCII as one box instead of one per byte.
std::string drawable(std::string_view text);

}  // namespace quantscope
