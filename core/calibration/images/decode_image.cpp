#include "calibration/images/decode_image.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/files/input_file.h"
#include "calibration/images/decoders.h"
#include "calibration/images/orientation.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;
constexpr std::string_view kPngMark = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegMark = "\xFF\xD8\xFF";

DecodedImage decode(std::string_view bytes) {
  const std::span data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (bytes.starts_with(kPngMark)) return decodePng(data);
  if (bytes.starts_with(kJpegMark)) return decodeJpeg(data);
  DecodedImage neither;
  neither.failure = "it is neither PNG nor JPEG";
  return neither;
}

}  // namespace

RgbPicture decodeImage(const std::filesystem::path& file) {
  DecodedImage image = decode(readFile(file, kMaxFileBytes));
  if (!image.failure.empty()) {
    throw Error(ErrorCode::InvalidData, "the image does not decode, " + image.failure,
                {.file = file.string(), .node = {}, .value = {}},
                "replace it or take it out of the folder");
  }
  return upright(std::move(image.picture), exifOrientation(image.exif));
}

bool hasImageName(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

}  // namespace quantscope
