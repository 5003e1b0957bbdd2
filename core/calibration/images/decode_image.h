#pragma once

#include <filesystem>

#include "calibration/images/picture.h"

namespace quantscope {

/// Reads a PNG or JPEG file, upright (EXIF orientation applied), as RGB.
///
/// Gray is repeated in all three channels; palettes are looked up; 16 bits per channel become
/// round(v · 255 / 65535); transparency is dropped, the colour below it stays; CMYK becomes
/// (255 − C)(255 − K) / 255 per channel. Colour profiles and gamma are not applied, as in the usual
/// training pipelines. Throws Error(Io or InvalidData) that names the file for one that cannot be
/// read, is damaged or truncated, or has more than kMaxPixels pixels.
RgbPicture decodeImage(const std::filesystem::path& file);

/// True for a name that ends in .png, .jpg or .jpeg, in any case.
bool hasImageName(const std::filesystem::path& file);

}  // namespace quantscope
