#include "calibration/images/orientation.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShortType = 3;
constexpr std::size_t kEntryBytes = 12;

// Numbers of a TIFF structure; zeros beyond its end.
class TiffReader {
 public:
  explicit TiffReader(std::span<const std::uint8_t> bytes)
      : m_bytes(bytes), m_bigEndian(!bytes.empty() && bytes[0] == 'M') {}

  std::uint32_t number(std::size_t offset, std::size_t size) const {
    if (offset > m_bytes.size() || size > m_bytes.size() - offset) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = (value << 8) | m_bytes[offset + (m_bigEndian ? i : size - 1 - i)];
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> m_bytes;
  bool m_bigEndian;
};

}  // namespace

int exifOrientation(std::span<const std::uint8_t> tiff) {
  const TiffReader reader(tiff);
  const std::size_t directory = reader.number(4, 4);
  const std::uint32_t entries = reader.number(directory, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (entry >= tiff.size()) break;
    if (reader.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = reader.number(entry + 8, 2);
    const bool sound = reader.number(entry + 2, 2) == kShortType && value >= 1 && value <= 8;
    return sound ? static_cast<int>(value) : 1;
  }
  return 1;
}

// Each orientation is a transposition (5 … 8), then a mirroring of rows and of columns.
RgbPicture upright(RgbPicture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  const bool transposed = orientation >= 5;
  const bool mirrorX = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool mirrorY = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const PictureSize from = picture.size;
  RgbPicture result(transposed ? PictureSize{from.width, from.height} : from);
  for (int y = 0; y < result.size.height; ++y) {
    for (int x = 0; x < result.size.width; ++x) {
      const int meantY = mirrorY ? result.size.height - 1 - y : y;
      const int meantX = mirrorX ? result.size.width - 1 - x : x;
      const std::uint8_t* const source =
          transposed ? picture.at(meantX, meantY) : picture.at(meantY, meantX);
      std::copy_n(source, 3, result.at(y, x));
    }
  }
  return result;
}

}  // namespace quantscope
