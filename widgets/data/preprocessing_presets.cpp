#include "widgets/data/preprocessing_presets.h"

#include <algorithm>
#include <cmath>

#include "widgets/look/translate.h"

namespace quantscope {
namespace {

constexpr int kImageNetSide = 224;

bool isChannels(const Dimension& dimension) {
  return dimension.extent == 1 || dimension.extent == 3;
}

PictureSize sizeFrom(const Dimension& height, const Dimension& width) {
  const auto side = [](const Dimension& dimension) {
    return dimension.extent > 0 && dimension.extent < (1 << 14) ? static_cast<int>(dimension.extent)
                                                                : kImageNetSide;
  };
  return {.height = side(height), .width = side(width)};
}

// Recognizes the converter by its name: tf2onnx, keras2onnx, tflite2onnx, onnx-caffe2 and similar.
PictureInput::Maker makerOf(const std::string& producer) {
  const QString name = QString::fromStdString(producer).toLower();
  const auto says = [&](const char* word) { return name.contains(QLatin1String(word)); };
  if (says("caffe")) return PictureInput::Maker::Caffe;
  const bool tensorFlow =
      name.startsWith(QStringLiteral("tf")) || says("keras") || says("tensorflow");
  return tensorFlow ? PictureInput::Maker::TensorFlow : PictureInput::Maker::Unknown;
}

// Keeping proportions and cutting the longer side, as most are trained.
Preprocessing covering(const PictureInput& input) {
  Preprocessing result;
  result.size = input.size;
  result.resize = Preprocessing::Resize::ShorterSide;
  result.crop = input.size;
  result.color = input.gray ? Preprocessing::Color::Gray : Preprocessing::Color::Rgb;
  result.order = input.order;
  return result;
}

// torchvision's evaluation transform: shorter side 256, centre 224, and in proportion for others.
PreprocessingPreset imageNet(const PictureInput& input) {
  constexpr double kResizeMargin = 256.0 / 224.0;
  const auto widened = [](int side) { return static_cast<int>(std::lround(side * kResizeMargin)); };
  Preprocessing result = covering(input);
  result.size = {.height = widened(input.size.height), .width = widened(input.size.width)};
  result.scale = 1.0 / 255;
  result.mean = {0.485, 0.456, 0.406};
  result.std = {0.229, 0.224, 0.225};
  return {tr("ImageNet: resize %1, crop %2, mean/std")
              .arg(std::min(result.size->height, result.size->width))
              .arg(std::min(input.size.height, input.size.width)),
          tr("Usual for models trained with PyTorch (torchvision): code / 255, minus ImageNet's "
             "mean, divided by "
             "its standard deviation."),
          result};
}

PreprocessingPreset minusOneToOne(const PictureInput& input) {
  Preprocessing result = covering(input);
  result.scale = 1 / 127.5;
  result.mean = {1};
  return {tr("−1 … 1 (MobileNet/Inception)"),
          tr("Usual for models trained with TensorFlow: code / 127.5 − 1."), result};
}

PreprocessingPreset zeroToOne(const PictureInput& input) {
  Preprocessing result = covering(input);
  result.scale = 1.0 / 255;
  return {tr("0 … 1"), tr("code / 255."), result};
}

PreprocessingPreset caffe(const PictureInput& input) {
  Preprocessing result = covering(input);
  result.color = Preprocessing::Color::Bgr;
  result.mean = {104, 117, 123};
  return {tr("0 … 255, BGR − mean (Caffe)"),
          tr("Usual for models trained with Caffe: codes in the order blue, green, red, minus "
             "(104, 117, 123)."),
          result};
}

PreprocessingPreset codes(const PictureInput& input) {
  return {tr("0 … 255"), tr("Codes as they are in the file."), covering(input)};
}

}  // namespace

std::optional<PictureInput> pictureInput(const Graph& graph) {
  if (graph.inputs().size() != 1) return {};
  const ValueType& type = graph[graph.inputs().front()].type;
  if (!type.shape || type.shape->size() < 3 || type.shape->size() > 4) return {};
  const std::span<const Dimension> axes = std::span(*type.shape).last(3);
  PictureInput result;
  result.maker = makerOf(graph.producerName);
  result.integer = type.element && !isFloat(*type.element);
  if (isChannels(axes[0])) {
    result.gray = axes[0].extent == 1;
    result.size = sizeFrom(axes[1], axes[2]);
    return result;
  }
  if (!isChannels(axes[2])) return {};
  result.order = Preprocessing::Order::Nhwc;
  result.gray = axes[2].extent == 1;
  result.size = sizeFrom(axes[0], axes[1]);
  return result;
}

std::vector<PreprocessingPreset> presetsFor(const PictureInput& input) {
  if (input.integer) return {codes(input)};
  if (input.gray) return {zeroToOne(input), minusOneToOne(input), codes(input)};
  std::vector<PreprocessingPreset> presets{imageNet(input), minusOneToOne(input), zeroToOne(input),
                                           caffe(input), codes(input)};
  std::ptrdiff_t proposed = input.order == Preprocessing::Order::Nhwc ? 1 : 0;
  if (input.maker == PictureInput::Maker::TensorFlow) proposed = 1;
  if (input.maker == PictureInput::Maker::Caffe) proposed = 3;
  std::rotate(presets.begin(), presets.begin() + proposed, presets.begin() + proposed + 1);
  return presets;
}

}  // namespace quantscope
