#pragma once

#include "calibration/images/picture.h"

namespace quantscope {

/// Bilinear with half-pixel centres, antialiased: output pixel x is the mean of the input pixels
/// i weighted with max(0, 1 − |i + ½ − c| / s), c = (x + ½) · in / out, s = max(1, in / out),
/// along each axis in turn. The same weights as Pillow's BILINEAR and PyTorch's
/// `interpolate(mode="bilinear", antialias=True)`; like the latter it does not round to whole
/// codes.
FloatPicture resizeBilinear(const RgbPicture& picture, PictureSize size);

}  // namespace quantscope
