#include "export/raster_image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "export/glyphs.h"

namespace quantscope {
namespace {

// Of the pen that draws text, in dots of the glyphs.
constexpr double kPenRadius = 0.48;

static_assert(sizeof(Colour) == 3, "rows of pixels are handed to libpng as they are");

int floored(double value) {
  return static_cast<int>(std::floor(value));
}

double distance(const PenStroke& stroke, double x, double y) {
  const double length2 = stroke.dx * stroke.dx + stroke.dy * stroke.dy;
  double along = 0;
  if (length2 > 0) {
    along = ((x - stroke.x) * stroke.dx + (y - stroke.y) * stroke.dy) / length2;
    along = std::clamp(along, 0.0, 1.0);
  }
  return std::hypot(x - stroke.x - along * stroke.dx, y - stroke.y - along * stroke.dy);
}

// The strokes of a glyph whose origin on the baseline is (x, y).
std::vector<PenStroke> penStrokes(const Glyph& glyph, double x, double y, double dot,
                                  RasterImage::Direction direction) {
  std::vector<PenStroke> strokes;
  for (const Stroke& stroke : glyph.strokes) {
    const double right = stroke.fromX * dot;
    const double down = (stroke.fromY - Glyph::kBaseline) * dot;
    const double dx = (stroke.toX - stroke.fromX) * dot;
    const double dy = (stroke.toY - stroke.fromY) * dot;
    if (direction == RasterImage::Direction::Right) {
      strokes.push_back({x + right, y + down, dx, dy});
    } else {
      strokes.push_back({x + down, y - right, dy, -dx});
    }
  }
  return strokes;
}

}  // namespace

RasterImage::RasterImage(int width, int height, Colour background)
    : m_width(width),
      m_height(height),
      m_pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void RasterImage::blend(int x, int y, Colour colour, double share) {
  if (x < 0 || y < 0 || x >= m_width || y >= m_height) return;
  Colour& pixel = m_pixels[index(x, y)];
  const auto mix = [&](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + (above - below) * share));
  };
  pixel = {mix(pixel.red, colour.red), mix(pixel.green, colour.green),
           mix(pixel.blue, colour.blue)};
}

template <class Condition>
void RasterImage::fillWhere(int x, int y, int width, int height, Colour colour,
                            Condition&& condition) {
  for (int row = std::max(y, 0); row < std::min(y + height, m_height); ++row) {
    for (int column = std::max(x, 0); column < std::min(x + width, m_width); ++column) {
      if (condition(column, row)) m_pixels[index(column, row)] = colour;
    }
  }
}

void RasterImage::fill(int x, int y, int width, int height, Colour colour) {
  fillWhere(x, y, width, height, colour, [](int, int) { return true; });
}

void RasterImage::hatch(int x, int y, int width, int height, Colour stripe) {
  fillWhere(x, y, width, height, stripe, [](int px, int py) { return (px + py) % 6 == 0; });
}

void RasterImage::dot(int x, int y, int width, int height, Colour colour) {
  fillWhere(x, y, width, height, colour, [](int px, int py) { return px % 4 == 0 && py % 4 == 0; });
}

// Where strokes meet, a pixel takes the share of the one that covers it most.
void RasterImage::drawStrokes(const std::vector<PenStroke>& strokes, double radius, Colour colour) {
  struct Covered {
    int x = 0;
    int y = 0;
    double share = 0;
  };
  std::vector<Covered> covered;
  for (const PenStroke& stroke : strokes) {
    const auto [left, right] = std::minmax({stroke.x, stroke.x + stroke.dx});
    const auto [top, bottom] = std::minmax({stroke.y, stroke.y + stroke.dy});
    for (int y = floored(top - radius); y <= floored(bottom + radius) + 1; ++y) {
      for (int x = floored(left - radius); x <= floored(right + radius) + 1; ++x) {
        const double share =
            std::clamp(radius + 0.5 - distance(stroke, x + 0.5, y + 0.5), 0.0, 1.0);
        if (share > 0) covered.push_back({x, y, share});
      }
    }
  }
  const auto order = [](const Covered& pixel) {
    return std::tuple(pixel.y, pixel.x, -pixel.share);
  };
  std::ranges::sort(covered, {}, order);
  for (std::size_t i = 0; i < covered.size(); ++i) {
    const Covered& pixel = covered[i];
    const bool again = i > 0 && covered[i - 1].x == pixel.x && covered[i - 1].y == pixel.y;
    if (!again) blend(pixel.x, pixel.y, colour, pixel.share);
  }
}

void RasterImage::text(double x, double y, std::string_view line, double dot, Colour colour,
                       Direction direction) {
  for (const char character : line) {
    const Glyph& glyph = glyphOf(character);
    drawStrokes(penStrokes(glyph, x, y, dot, direction), kPenRadius * dot, colour);
    (direction == Direction::Right ? x : y) +=
        (direction == Direction::Right ? 1 : -1) * static_cast<double>(glyph.advance) * dot;
  }
}

std::string RasterImage::png() const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(m_width);
  image.height = static_cast<png_uint_32>(m_height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  const int written =
      png_image_write_to_memory(&image, bytes.data(), &size, 0, m_pixels.data(), 0, nullptr);
  if (written == 0) {
    throw Error(ErrorCode::InvalidParameters,
                std::string("the picture cannot be written as PNG: ") + image.message);
  }
  bytes.resize(size);
  return bytes;
}

double textWidth(std::string_view line, double dot) {
  return static_cast<double>(widthInDots(line)) * dot;
}

std::string fitted(std::string_view line, double width, double dot) {
  if (textWidth(line, dot) <= width) return std::string(line);
  // No glyph is narrower than a dot, so no more characters than that can fit.
  const auto most = static_cast<std::size_t>(std::max(width / dot, 0.0));
  for (std::size_t kept = std::min(line.size(), most); kept > 1; --kept) {
    const std::size_t head = kept / 2;
    std::string shorter(line.substr(0, head));
    shorter += "..";
    shorter += line.substr(line.size() - (kept - head));
    if (textWidth(shorter, dot) <= width) return shorter;
  }
  return {};
}

}  // namespace quantscope
