#include "export/pictures/picture.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

constexpr const char* kEllipsis = "…";
// No character of the font is narrower, in sizes of its text.
constexpr double kNarrowest = 0.2;

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;
using Pattern = std::unique_ptr<cairo_pattern_t, decltype(&cairo_pattern_destroy)>;

// Larger than any page. Without bounds, Cairo 1.16 shifts its SVG output by a hundredth of a pixel
// in some runs.
constexpr cairo_rectangle_t kBounds{.x = 0, .y = 0, .width = 16384, .height = 16384};

void setColour(cairo_t* context, Colour colour) {
  cairo_set_source_rgb(context, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

void throwUnlessDrawn(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorCode::InvalidParameters,
              std::string("the picture cannot be drawn: ") + cairo_status_to_string(status));
}

// A tile of `side` × `side` pixels that covers where marked(x, y) holds.
template <class Marked>
Surface tile(int side, Marked marked) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, side, side), &cairo_surface_destroy);
  cairo_surface_flush(surface.get());
  unsigned char* const pixels = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; pixels != nullptr && y < side; ++y) {
    for (int x = 0; x < side; ++x) pixels[y * stride + x] = marked(x, y) ? 255 : 0;
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

// Tiles keep their place, so that the patterns of neighbouring areas meet.
void fillWithTile(cairo_t* context, cairo_surface_t* surface, int x, int y, int width, int height,
                  Colour colour) {
  const Pattern pattern(cairo_pattern_create_for_surface(surface), &cairo_pattern_destroy);
  cairo_pattern_set_extend(pattern.get(), CAIRO_EXTEND_REPEAT);
  cairo_pattern_set_filter(pattern.get(), CAIRO_FILTER_NEAREST);
  cairo_save(context);
  cairo_rectangle(context, x, y, width, height);
  cairo_clip(context);
  setColour(context, colour);
  cairo_mask(context, pattern.get());
  cairo_restore(context);
}

// Where each character of valid UTF-8 begins, and the end.
std::vector<std::size_t> charactersOf(std::string_view line) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U) begins.push_back(i);
  }
  begins.push_back(line.size());
  return begins;
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Picture::Picture()
    : m_stripes(tile(6, [](int x, int y) { return (x + y) % 6 == 0; })),
      m_dots(tile(4, [](int x, int y) { return x == 0 && y == 0; })) {
  const Surface surface(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &kBounds),
                        &cairo_surface_destroy);
  // Without an end of its own the recording stays for good where Cairo 1.16 has written it as SVG.
  m_context = std::shared_ptr<cairo_t>(cairo_create(surface.get()), [](cairo_t* context) {
    cairo_surface_finish(cairo_get_target(context));
    cairo_destroy(context);
  });
  cairo_select_font_face(m_context.get(), "Open Sans", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  // Widths in proportion to the size, whatever the system prefers on its screen.
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(m_context.get(), options);
  cairo_font_options_destroy(options);
}

void Picture::fill(int x, int y, int width, int height, Colour colour) {
  setColour(m_context.get(), colour);
  cairo_rectangle(m_context.get(), x, y, width, height);
  cairo_fill(m_context.get());
}

void Picture::hatch(int x, int y, int width, int height, Colour stripe) {
  fillWithTile(m_context.get(), m_stripes.get(), x, y, width, height, stripe);
}

void Picture::dot(int x, int y, int width, int height, Colour colour) {
  fillWithTile(m_context.get(), m_dots.get(), x, y, width, height, colour);
}

void Picture::text(double x, double y, std::string_view line, double size, Colour colour,
                   Direction direction) {
  cairo_t* const context = m_context.get();
  cairo_save(context);
  cairo_translate(context, x, y);
  if (direction == Direction::Up) cairo_rotate(context, -std::acos(0.0));
  cairo_move_to(context, 0, 0);
  cairo_set_font_size(context, size);
  setColour(context, colour);
  cairo_show_text(context, printableName(line).c_str());
  cairo_restore(context);
}

double Picture::textWidth(std::string_view line, double size) const {
  cairo_set_font_size(m_context.get(), size);
  cairo_text_extents_t extents{};
  cairo_text_extents(m_context.get(), printableName(line).c_str(), &extents);
  return extents.x_advance;
}

std::string Picture::fitted(std::string_view line, double width, double size) const {
  const std::string whole = printableName(line);
  const std::vector<std::size_t> begins = charactersOf(whole);
  const std::size_t characters = begins.size() - 1;
  const auto most = static_cast<std::size_t>(std::max(width / (kNarrowest * size), 0.0));
  if (characters <= most && textWidth(whole, size) <= width) return whole;
  for (std::size_t kept = std::min(characters, most); kept > 1; --kept) {
    const std::size_t head = kept / 2;
    std::string shorter = whole.substr(0, begins[head]);
    shorter += kEllipsis;
    shorter += whole.substr(begins[characters - (kept - head)]);
    if (textWidth(shorter, size) <= width) return shorter;
  }
  return {};
}

std::string Picture::png(int width, int height, Colour background) const {
  const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height),
                      &cairo_surface_destroy);
  paintOn(image.get(), background);
  std::string bytes;
  throwUnlessDrawn(cairo_surface_write_to_png_stream(image.get(), &append, &bytes));
  return bytes;
}

std::string Picture::svg(int width, int height, Colour background) const {
  std::string bytes;
  const Surface surface(cairo_svg_surface_create_for_stream(&append, &bytes, width, height),
                        &cairo_surface_destroy);
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  paintOn(surface.get(), background);
  cairo_surface_finish(surface.get());
  throwUnlessDrawn(cairo_surface_status(surface.get()));
  return bytes;
}

void Picture::paintOn(cairo_surface_t* surface, Colour background) const {
  const Context context(cairo_create(surface), &cairo_destroy);
  setColour(context.get(), background);
  cairo_paint(context.get());
  throwUnlessDrawn(cairo_status(m_context.get()));
  cairo_set_source_surface(context.get(), cairo_get_target(m_context.get()), 0, 0);
  cairo_paint(context.get());
  throwUnlessDrawn(cairo_status(context.get()));
}

std::string pdfOf(std::span<const PicturePage> pages, Colour background) {
  std::string bytes;
  const Surface surface(
      cairo_pdf_surface_create_for_stream(&append, &bytes, pages[0].width, pages[0].height),
      &cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  for (const PicturePage& page : pages) {
    cairo_pdf_surface_set_size(surface.get(), page.width, page.height);
    page.picture.paintOn(surface.get(), background);
    cairo_surface_show_page(surface.get());
  }
  cairo_surface_finish(surface.get());
  throwUnlessDrawn(cairo_surface_status(surface.get()));
  return bytes;
}

}  // namespace quantscope
