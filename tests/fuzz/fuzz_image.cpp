// The last two bytes, where the file's format passes over what follows its end, choose how the
// picture is prepared.

#include "calibration/images/decode_image.h"
#include "calibration/images/preprocessing.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"

using namespace quantscope;

namespace {

// Larger pictures are legal and slow.
constexpr int kMostPixels = 1 << 14;

Preprocessing chosen(std::string_view bytes) {
  const auto byte = [&](std::size_t fromEnd) {
    return bytes.size() < fromEnd ? 0U : static_cast<unsigned char>(bytes[bytes.size() - fromEnd]);
  };
  Preprocessing result;
  const unsigned flags = byte(1);
  result.size =
      PictureSize{1 + static_cast<int>(byte(2) % 16U), 1 + static_cast<int>(byte(2) / 16U)};
  result.resize = static_cast<Preprocessing::Resize>(flags % 3U);
  result.color = static_cast<Preprocessing::Color>(flags / 3U % 3U);
  if (flags % 2U == 1) result.crop = PictureSize{2, 2};
  return result;
}

}  // namespace

QUANTSCOPE_FUZZ_TARGET(image) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] {
    const RgbPicture picture = decodeImage(file.path());
    if (picture.size.height > kMostPixels / picture.size.width) return;
    preprocess(picture, chosen(bytes));
  });
}
