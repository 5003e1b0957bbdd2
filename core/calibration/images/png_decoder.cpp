#include <png.h>

#include <csetjmp>
#include <cstring>

#include "calibration/images/decoders.h"

namespace quantscope {
namespace {

// libpng leaves by longjmp. Everything that it touches lives in this object, outside of the frames
// that are jumped over, and no frame in between owns anything.
class PngDecoder {
 public:
  explicit PngDecoder(std::span<const std::uint8_t> bytes) : m_rest(bytes) {
    m_png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    if (m_png != nullptr) m_info = png_create_info_struct(m_png);
  }
  ~PngDecoder() { png_destroy_read_struct(&m_png, &m_info, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  DecodedImage decode() {
    if (m_info == nullptr) {
      m_image.failure = "there is not enough memory";
    } else if (readHeader()) {
      allocate();
      readPixels();
    }
    return std::move(m_image);
  }

 private:
  static void fail(png_structp png, png_const_charp message) {
    static_cast<PngDecoder*>(png_get_error_ptr(png))->m_image.failure = message;
    png_longjmp(png, 1);
  }

  static void ignore(png_structp /*png*/, png_const_charp /*message*/) {}

  static void supply(png_structp png, png_bytep target, std::size_t count) {
    auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (count > self.m_rest.size()) png_error(png, "the file ends early");
    std::memcpy(target, self.m_rest.data(), count);
    self.m_rest = self.m_rest.subspan(count);
  }

  bool readHeader() {
    if (setjmp(png_jmpbuf(m_png)) != 0) return false;
    png_set_read_fn(m_png, this, supply);
    png_read_info(m_png, m_info);
    if (static_cast<std::int64_t>(png_get_image_width(m_png, m_info)) *
            png_get_image_height(m_png, m_info) >
        kMaxPixels) {
      png_error(m_png, "it has too many pixels");
    }
    toRgb8();
    return true;
  }

  void toRgb8() {
    png_set_scale_16(m_png);
    png_set_expand(m_png);  // palettes, 1 to 4 bits, transparent colours
    png_set_gray_to_rgb(m_png);
    png_set_strip_alpha(m_png);
    png_set_interlace_handling(m_png);
    png_read_update_info(m_png, m_info);
    if (png_get_rowbytes(m_png, m_info) != std::size_t{3} * png_get_image_width(m_png, m_info)) {
      png_error(m_png, "its pixels have an unknown format");
    }
  }

  void allocate() {
    m_image.picture = RgbPicture({.height = static_cast<int>(png_get_image_height(m_png, m_info)),
                                  .width = static_cast<int>(png_get_image_width(m_png, m_info))});
    for (int y = 0; y < m_image.picture.size.height; ++y) {
      m_rows.push_back(m_image.picture.at(y, 0));
    }
  }

  void readPixels() {
    if (setjmp(png_jmpbuf(m_png)) != 0) return;
    png_read_image(m_png, m_rows.data());
    png_read_end(m_png, m_info);
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(m_png, m_info, &size, &exif) != 0) {
      m_image.exif.assign(exif, exif + size);
    }
  }

  std::span<const std::uint8_t> m_rest;
  png_structp m_png = nullptr;
  png_infop m_info = nullptr;
  std::vector<png_bytep> m_rows;
  DecodedImage m_image;
};

}  // namespace

DecodedImage decodePng(std::span<const std::uint8_t> bytes) {
  return PngDecoder(bytes).decode();
}

}  // namespace quantscope
