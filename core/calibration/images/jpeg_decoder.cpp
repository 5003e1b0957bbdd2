// jpeglib.h uses FILE and size_t without including them.
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <string_view>

#include "calibration/images/decoders.h"

namespace quantscope {
namespace {

constexpr std::string_view kExifMark("Exif\0\0", 6);
// A progressive file of a few KB could ask for thousands of passes over its pixels.
constexpr int kMaxScans = 500;

// libjpeg leaves by longjmp. Everything that it touches lives in this object, outside of the frames
// that are jumped over, and no frame in between owns anything.
class JpegDecoder {
 public:
  JpegDecoder() {
    m_decoder.err = jpeg_std_error(&m_errors);
    m_errors.error_exit = fail;
    m_errors.emit_message = judge;
    m_decoder.client_data = this;
    m_progress.progress_monitor = limitScans;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&m_decoder); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  DecodedImage decode(std::span<const std::uint8_t> bytes) {
    if (readHeader(bytes)) {
      keepExif();
      allocate();
      readPixels();
    }
    return std::move(m_image);
  }

 private:
  static JpegDecoder& of(j_common_ptr info) {
    return *static_cast<JpegDecoder*>(info->client_data);
  }

  static void fail(j_common_ptr info) {
    JpegDecoder& self = of(info);
    std::array<char, JMSG_LENGTH_MAX> message{};
    info->err->format_message(info, message.data());
    self.m_image.failure = message.data();
    std::longjmp(self.m_jump, 1);
  }

  // A level of −1 is damage that libjpeg goes on after, with gray pixels.
  static void judge(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
      case JWRN_ADOBE_XFORM:
      case JWRN_EXTRANEOUS_DATA:
      case JWRN_JFIF_MAJOR:
      case JWRN_TOO_MUCH_DATA:
        return;
      default:
        fail(info);
    }
  }

  static void limitScans(j_common_ptr info) {
    if (of(info).m_decoder.input_scan_number <= kMaxScans) return;
    of(info).m_image.failure = "it has too many passes";
    std::longjmp(of(info).m_jump, 1);
  }

  bool readHeader(std::span<const std::uint8_t> bytes) {
    if (setjmp(m_jump) != 0) return false;
    jpeg_create_decompress(&m_decoder);  // keeps err and client_data
    m_decoder.progress = &m_progress;
    jpeg_mem_src(&m_decoder, bytes.data(), bytes.size());
    jpeg_save_markers(&m_decoder, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&m_decoder, TRUE);
    m_decoder.out_color_space = m_decoder.num_components == 4 ? JCS_CMYK : JCS_RGB;
    if (std::int64_t{m_decoder.image_width} * m_decoder.image_height > kMaxPixels) {
      m_image.failure = "it has too many pixels";
      return false;
    }
    return true;
  }

  void keepExif() {
    for (const jpeg_marker_struct* marker = m_decoder.marker_list; marker != nullptr;
         marker = marker->next) {
      const std::string_view text(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (!text.starts_with(kExifMark)) continue;
      m_image.exif.assign(marker->data + kExifMark.size(), marker->data + marker->data_length);
      return;
    }
  }

  void allocate() {
    m_image.picture = RgbPicture({.height = static_cast<int>(m_decoder.image_height),
                                  .width = static_cast<int>(m_decoder.image_width)});
    if (m_decoder.out_color_space == JCS_CMYK) m_row.resize(std::size_t{4} * m_decoder.image_width);
  }

  void readPixels() {
    if (setjmp(m_jump) != 0) return;
    jpeg_start_decompress(&m_decoder);
    while (m_decoder.output_scanline < m_decoder.output_height) {
      std::uint8_t* const target =
          m_image.picture.at(static_cast<int>(m_decoder.output_scanline), 0);
      JSAMPROW row = m_row.empty() ? target : m_row.data();
      jpeg_read_scanlines(&m_decoder, &row, 1);
      if (!m_row.empty()) cmykToRgb(target);
    }
    jpeg_finish_decompress(&m_decoder);
  }

  // Adobe's programs, which write nearly all CMYK files and mark them, store the complement of ink.
  void cmykToRgb(std::uint8_t* target) const {
    const unsigned flip = m_decoder.saw_Adobe_marker ? 0 : 255;
    for (std::size_t i = 0; i < m_row.size(); i += 4) {
      const unsigned white = m_row[i + 3] ^ flip;
      for (std::size_t c = 0; c < 3; ++c) {
        *target++ = static_cast<std::uint8_t>(((m_row[i + c] ^ flip) * white + 127) / 255);
      }
    }
  }

  jpeg_decompress_struct m_decoder{};
  jpeg_error_mgr m_errors{};
  jpeg_progress_mgr m_progress{};
  std::jmp_buf m_jump{};
  std::vector<std::uint8_t> m_row;  // one line of CMYK
  DecodedImage m_image;
};

}  // namespace

DecodedImage decodeJpeg(std::span<const std::uint8_t> bytes) {
  return JpegDecoder().decode(bytes);
}

}  // namespace quantscope
