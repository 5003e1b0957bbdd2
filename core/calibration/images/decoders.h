#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibration/images/picture.h"

namespace quantscope {

/// The contents of a decoded file.
struct DecodedImage {
  RgbPicture picture;
  std::vector<std::uint8_t> exif;  ///< the TIFF structure of its EXIF data; empty = none
  std::string failure;             ///< why it does not decode; empty = it does
};

/// Through libpng; reports truncated and damaged files.
DecodedImage decodePng(std::span<const std::uint8_t> bytes);
/// Uses libjpeg-turbo; a part that it would fill with gray is reported as damaged.
DecodedImage decodeJpeg(std::span<const std::uint8_t> bytes);

}  // namespace quantscope
