#include "calibration/images/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/images/resize.h"

namespace quantscope {
namespace {

std::string text(PictureSize size) {
  return "[" + std::to_string(size.height) + ", " + std::to_string(size.width) + "]";
}

// At least one pixel, also for a very thin picture.
int scaledDown(int length, double factor) {
  return std::max(1, static_cast<int>(std::floor(length * factor)));
}

int scaledToNearest(int length, double factor) {
  return std::max(1, static_cast<int>(std::lround(length * factor)));
}

// The size of the picture before it is cropped or framed. The side that decides is taken from the
// wanted size, so that rounding cannot make it miss by one.
PictureSize resizedSize(PictureSize from, PictureSize wanted, Preprocessing::Resize mode) {
  if (mode == Preprocessing::Resize::Stretch) return wanted;
  const double byHeight = static_cast<double>(wanted.height) / from.height;
  const double byWidth = static_cast<double>(wanted.width) / from.width;
  if (mode == Preprocessing::Resize::ShorterSide) {
    return byHeight >= byWidth ? PictureSize{wanted.height, scaledDown(from.width, byHeight)}
                               : PictureSize{scaledDown(from.height, byWidth), wanted.width};
  }
  return byHeight <= byWidth ? PictureSize{wanted.height, scaledToNearest(from.width, byHeight)}
                             : PictureSize{scaledToNearest(from.height, byWidth), wanted.width};
}

FloatPicture framed(const FloatPicture& picture, PictureSize size) {
  FloatPicture result(size);
  const int top = (size.height - picture.size.height) / 2;
  const int left = (size.width - picture.size.width) / 2;
  for (int y = 0; y < picture.size.height; ++y) {
    std::copy_n(picture.at(y, 0), std::size_t{3} * static_cast<std::size_t>(picture.size.width),
                result.at(top + y, left));
  }
  return result;
}

FloatPicture centre(const FloatPicture& picture, PictureSize size) {
  if (size.height > picture.size.height || size.width > picture.size.width) {
    throw Error(ErrorCode::InvalidData,
                "the crop " + text(size) + " is larger than the picture, which is " +
                    text(picture.size) + " at that point",
                {}, R"(give a "size" to resize to first, or a smaller "crop")");
  }
  FloatPicture result(size);
  const int top = (picture.size.height - size.height) / 2;
  const int left = (picture.size.width - size.width) / 2;
  for (int y = 0; y < size.height; ++y) {
    std::copy_n(picture.at(top + y, left), std::size_t{3} * static_cast<std::size_t>(size.width),
                result.at(y, 0));
  }
  return result;
}

FloatPicture resized(const RgbPicture& picture, const Preprocessing& preprocessing) {
  const PictureSize wanted = preprocessing.size.value_or(picture.size);
  const PictureSize size = resizedSize(picture.size, wanted, preprocessing.resize);
  // A very thin picture can become very long.
  if (static_cast<std::int64_t>(size.height) * size.width > kMaxPixels) {
    throw Error(ErrorCode::InvalidData,
                "the picture of size " + text(picture.size) + " would be resized to " + text(size),
                {}, R"(resize by "stretch" or "letterbox", or take it out of the folder)");
  }
  FloatPicture result = resizeBilinear(picture, size);
  const bool framing = preprocessing.resize == Preprocessing::Resize::Letterbox;
  return framing && size != wanted ? framed(result, wanted) : result;
}

// ITU-R BT.601, as Pillow, OpenCV and torchvision turn colours into gray.
double gray(const float* pixel) {
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

double channelOf(const float* pixel, std::size_t channel, Preprocessing::Color color) {
  switch (color) {
    case Preprocessing::Color::Gray:
      return gray(pixel);
    case Preprocessing::Color::Bgr:
      return pixel[2 - channel];
    case Preprocessing::Color::Rgb:
      break;
  }
  return pixel[channel];
}

double perChannel(const std::vector<double>& numbers, std::size_t channel, double fallback) {
  if (numbers.empty()) return fallback;
  return numbers.size() == 1 ? numbers.front() : numbers[channel];
}

Shape tensorShape(PictureSize size, const Preprocessing& preprocessing) {
  const auto channels = static_cast<std::int64_t>(preprocessing.channels());
  if (preprocessing.order == Preprocessing::Order::Nhwc) {
    return {1, size.height, size.width, channels};
  }
  return {1, channels, size.height, size.width};
}

}  // namespace

Tensor preprocess(const RgbPicture& picture, const Preprocessing& preprocessing) {
  FloatPicture pixels = resized(picture, preprocessing);
  if (preprocessing.crop) pixels = centre(pixels, *preprocessing.crop);

  Tensor tensor(ElementType::Float32, tensorShape(pixels.size, preprocessing));
  const std::span<float> target = tensor.mutableValues<float>();
  const std::size_t channels = preprocessing.channels();
  const std::size_t count = pixels.rgb.size() / 3;
  const bool channelsLast = preprocessing.order == Preprocessing::Order::Nhwc;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const double mean = perChannel(preprocessing.mean, channel, 0);
    const double std = perChannel(preprocessing.std, channel, 1);
    for (std::size_t i = 0; i < count; ++i) {
      const double code = channelOf(pixels.rgb.data() + 3 * i, channel, preprocessing.color);
      target[channelsLast ? i * channels + channel : channel * count + i] =
          static_cast<float>((code * preprocessing.scale - mean) / std);
    }
  }
  return tensor;
}

}  // namespace quantscope
