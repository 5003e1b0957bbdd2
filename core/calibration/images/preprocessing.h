#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "calibration/images/picture.h"
#include "tensor/tensor.h"

namespace quantscope {

/// How a picture becomes a model's input: resize, crop the centre, order the colours, then
/// (code · scale − mean) / std per channel.
struct Preprocessing {
  enum class Resize {
    Stretch,      ///< to `size` exactly
    ShorterSide,  ///< keeping proportions, to just cover `size`: for a square one the shorter side
                  ///< gets its length; the longer side is rounded down, as torchvision does
    Letterbox,    ///< keeping proportions, to fit into `size`; black (code 0) around, centred
  };
  enum class Color { Rgb, Bgr, Gray };
  enum class Order { Nchw, Nhwc };

  std::optional<PictureSize> size;  ///< none = the picture's own
  Resize resize = Resize::Stretch;
  std::optional<PictureSize> crop;  ///< the centre; odd rests go to the bottom and the right
  Color color = Color::Rgb;         ///< gray = 0.299 R + 0.587 G + 0.114 B, one channel
  double scale = 1;
  std::vector<double> mean;  ///< per channel in the order of `color`, or one for all; none = 0
  std::vector<double> std;   ///< likewise; none = 1
  Order order = Order::Nchw;

  std::size_t channels() const { return color == Color::Gray ? 1 : 3; }
  friend bool operator==(const Preprocessing&, const Preprocessing&) = default;
};

/// Reads `{"size":[h,w],"resize":"stretch|shorter-side|letterbox","crop":[h,w],
/// "color":"rgb|bgr|gray","scale":s,"mean":[…],"std":[…],"layout":"nchw|nhwc"}`; every key may be
/// left out. Throws Error(InvalidConfiguration) at `place` that names the key that is unknown or
/// has a value out of its range.
Preprocessing parsePreprocessing(std::string_view json, const Place& place = {});

/// The same from a file. Throws Error(Io or InvalidConfiguration) that names it.
Preprocessing readPreprocessing(const std::filesystem::path& file);

/// The text that parsePreprocessing() reads back as the same. Takes finite numbers.
std::string toJson(const Preprocessing& preprocessing);

/// float32 [1, C, H, W] or [1, H, W, C]. Throws Error(InvalidData) where the crop is larger than
/// the resized picture or that has more than kMaxPixels pixels.
Tensor preprocess(const RgbPicture& picture, const Preprocessing& preprocessing);

}  // namespace quantscope
