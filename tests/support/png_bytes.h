#pragma once

#include <string>

namespace quantscope::test {

/// The parts of a PNG file; see its specification, chapter 11.
struct PngParts {
  int width = 1;
  int height = 1;
  int bitDepth = 8;
  int colorType = 2;  ///< 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha
  std::string rows;   ///< packed samples without filter bytes
  std::string palette = {};
  std::string transparency = {};
  std::string exif = {};
};

std::string pngBytes(const PngParts& parts);

/// A TIFF structure that holds an orientation alone.
std::string exifWithOrientation(int orientation, bool bigEndian);

/// The JPEG file with that structure put in front.
std::string withExif(const std::string& jpeg, const std::string& exif);

}  // namespace quantscope::test
