#include "calibration/sources/image_folder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "calibration/images/decode_image.h"
#include "calibration/sources/list_folder.h"

namespace quantscope {
namespace {

Tensor roundedToIntegers(const Tensor& tensor) {
  constexpr float kLimit = 0x1p62F;  // far beyond any picture, and safe to convert
  Tensor result(ElementType::Int64, tensor.shape());
  const std::span<std::int64_t> target = result.mutableValues<std::int64_t>();
  std::size_t i = 0;
  for (const float value : tensor.values<float>()) {
    if (!(std::abs(value) < kLimit)) {
      throw Error(ErrorCode::InvalidData, "a pixel becomes too large for an integer input", {},
                  R"(check "scale", "mean" and "std" of the preprocessing)");
    }
    target[i++] = static_cast<std::int64_t>(std::nearbyint(value));
  }
  return result;
}

class ImageReader : public InputReader {
 public:
  ImageReader(std::vector<std::filesystem::path> files, Preprocessing preprocessing,
              const ModelInput& input)
      : m_files(std::move(files)),
        m_preprocessing(std::move(preprocessing)),
        m_integers(!isFloat(input.type)),
        m_withoutBatch(input.shape && input.shape->size() == 3) {}

  Tensor read(std::size_t index) override {
    Tensor tensor = readImage(m_files[index]);
    if (m_integers) tensor = roundedToIntegers(tensor);
    if (m_withoutBatch) tensor = tensor.reshaped(Shape(tensor.shape().dimensions().subspan(1)));
    return tensor;
  }

 private:
  Tensor readImage(const std::filesystem::path& file) const {
    try {
      return preprocess(decodeImage(file), m_preprocessing);
    } catch (const Error& error) {
      throw error.at({.file = file.string(), .node = {}, .value = {}});
    }
  }

  std::vector<std::filesystem::path> m_files;
  Preprocessing m_preprocessing;
  bool m_integers;
  bool m_withoutBatch;
};

}  // namespace

std::vector<std::filesystem::path> imageFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = listFolder(folder);
  std::erase_if(files, [](const std::filesystem::path& file) {
    std::error_code failure;
    return !hasImageName(file) || std::filesystem::is_directory(file, failure);
  });
  return files;
}

std::vector<InputData> openImageFolder(const std::filesystem::path& folder,
                                       const Preprocessing& preprocessing,
                                       const std::vector<ModelInput>& inputs) {
  const Place place{.file = folder.string(), .node = {}, .value = {}};
  if (inputs.size() != 1) {
    throw Error(ErrorCode::InvalidData,
                "images cannot serve a model with " + std::to_string(inputs.size()) +
                    " inputs; the model wants " + describe(inputs),
                place, "give a .npz with an array for each input");
  }
  std::vector<std::filesystem::path> files = imageFiles(folder);
  if (files.empty()) {
    throw Error(ErrorCode::InsufficientData, "the folder holds no images", place,
                "put .png, .jpg or .jpeg files there");
  }
  const ModelInput& input = inputs.front();
  const std::size_t count = files.size();
  const bool withoutBatch = input.shape && input.shape->size() == 3;
  std::vector<InputData> result;
  result.push_back({input, withoutBatch ? Cut::WholeFeeds : Cut::Samples, count,
                    std::make_unique<ImageReader>(std::move(files), preprocessing, input)});
  return result;
}

}  // namespace quantscope
