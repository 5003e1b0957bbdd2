#pragma once

#include <cstdint>
#include <span>

#include "calibration/images/picture.h"

namespace quantscope {

/// EXIF's orientation 1 … 8 (tag 0x0112 of IFD 0) out of a TIFF structure; 1, upright, where it is
/// absent or damaged. Source: Exif 2.32, 4.6.4.
int exifOrientation(std::span<const std::uint8_t> tiff);

/// The picture as it was meant to be seen: orientation 3 is turned by 180°, 6 by 90° clockwise,
/// 8 counterclockwise; 2, 4, 5 and 7 are mirrored.
RgbPicture upright(RgbPicture picture, int orientation);

}  // namespace quantscope
