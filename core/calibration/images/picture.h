#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantscope {

/// Height and width in pixels, in the order of shapes: [H, W].
struct PictureSize {
  int height = 0;
  int width = 0;
  friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

/// More pixels than this are refused: 400 MB as RGB, while cameras stay below 100 million.
constexpr std::int64_t kMaxPixels = std::int64_t{1} << 27;

/// RGB pixels, row by row from the top: shape [H, W, 3].
template <class T>
struct PictureOf {
  PictureSize size;
  std::vector<T> rgb;

  PictureOf() = default;
  explicit PictureOf(PictureSize pixels)
      : size(pixels),
        rgb(std::size_t{3} * static_cast<std::size_t>(pixels.height) *
            static_cast<std::size_t>(pixels.width)) {}

  /// The three numbers of one pixel.
  const T* at(int y, int x) const { return rgb.data() + offset(y, x); }
  T* at(int y, int x) { return rgb.data() + offset(y, x); }

 private:
  std::size_t offset(int y, int x) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                static_cast<std::size_t>(x));
  }
};

/// The format of files: sRGB codes 0 … 255.
using RgbPicture = PictureOf<std::uint8_t>;
/// Codes between the codes, as resizing gives them.
using FloatPicture = PictureOf<float>;

}  // namespace quantscope
