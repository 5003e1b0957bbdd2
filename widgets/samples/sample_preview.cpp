#include "widgets/samples/sample_preview.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::int64_t kLeastPixels = 8;
constexpr std::size_t kShownNumbers = 8;

// How to find a pixel's channel in a sample's elements.
struct PictureLayout {
  int height = 0;
  int width = 0;
  std::size_t channels = 0;
  std::size_t channelStride = 0;
  std::size_t pixelStride = 0;
};

bool isChannelCount(std::int64_t extent) {
  return extent == 1 || extent == 3;
}

std::optional<PictureLayout> pictureLayout(const Shape& shape) {
  if (shape.rank() < 3 || shape.rank() > 4) return std::nullopt;
  const std::size_t first = shape.rank() - 3;
  const std::int64_t a = shape[first];
  const std::int64_t b = shape[first + 1];
  const std::int64_t c = shape[first + 2];
  const auto fits = [](std::int64_t height, std::int64_t width) {
    return height >= kLeastPixels && width >= kLeastPixels;
  };
  if (isChannelCount(a) && fits(b, c)) {
    return PictureLayout{static_cast<int>(b), static_cast<int>(c), static_cast<std::size_t>(a),
                         static_cast<std::size_t>(b * c), 1};
  }
  if (isChannelCount(c) && fits(a, b)) {
    return PictureLayout{static_cast<int>(a), static_cast<int>(b), static_cast<std::size_t>(c), 1,
                         static_cast<std::size_t>(c)};
  }
  return std::nullopt;
}

QImage toPicture(std::span<const float> elements, const PictureLayout& layout, float low,
                 float high) {
  QImage image(layout.width, layout.height, QImage::Format_RGB32);
  const float scale = high > low ? 255 / (high - low) : 0;
  const auto code = [&](std::size_t pixel, std::size_t channel) {
    const std::size_t place = channel % layout.channels * layout.channelStride;
    const float value = elements[pixel * layout.pixelStride + place];
    return static_cast<int>(std::lround(std::clamp((value - low) * scale, 0.0F, 255.0F)));
  };
  std::size_t pixel = 0;
  for (int y = 0; y < layout.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < layout.width; ++x, ++pixel) {
      line[x] = qRgb(code(pixel, 0), code(pixel, 1), code(pixel, 2));
    }
  }
  return image;
}

InputPreview preview(const Value& value, const Tensor& tensor, const Feed& feed,
                     std::size_t index) {
  InputPreview result;
  result.name = text(value.name);
  result.type = text(name(tensor.type()));
  Shape shape = tensor.shape();
  const bool batched =
      feed.batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(feed.batch);
  if (batched) shape[0] = 1;
  result.shape = text(toString(shape));
  const auto length = static_cast<std::size_t>(shape.elementCount());
  if (length == 0) return result;
  const Tensor floats = toFloat32(tensor);
  const std::span<const float> elements =
      floats.values<float>().subspan(batched ? index * length : 0, length);
  const auto [low, high] = std::ranges::minmax(elements);
  double sum = 0;
  for (const float element : elements) sum += element;
  result.min = low;
  result.max = high;
  result.mean = sum / static_cast<double>(length);
  if (const auto layout = pictureLayout(shape)) {
    result.picture = toPicture(elements, *layout, low, high);
  }
  QStringList numbers;
  for (const float element : elements.first(std::min(length, kShownNumbers))) {
    numbers << shortText(element);
  }
  result.numbers = numbers.join(QStringLiteral("  ")) +
                   (length > kShownNumbers ? QStringLiteral("  …") : QString());
  return result;
}

}  // namespace

std::vector<InputPreview> previewSample(const Feed& feed, std::size_t index, const Graph& graph) {
  std::vector<InputPreview> previews;
  for (const auto& [id, tensor] : feed.inputs) {
    previews.push_back(preview(graph[id], tensor, feed, index));
  }
  return previews;
}

}  // namespace quantscope
