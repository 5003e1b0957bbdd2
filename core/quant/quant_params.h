#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.h"
#include "quant/quant_type.h"

namespace quantscope {

/// The tool whose formula turns a range into scale and zero point (see gridFromRange).
enum class Convention : std::uint8_t { Onnx, PyTorch };

/// A closed range of real numbers. Empty until something was included.
struct Range {
  float low = 0;
  float high = 0;
  bool empty = true;

  void include(float value);
  void include(const Range& other);
  friend bool operator==(const Range&, const Range&) = default;
};

/// The numbers that a value, or one of its channels, is rounded to:
///
/// - integers: real = (code − zeroPoint) · scale, code in [qmin, qmax];
/// - FP8: real = code · scale; FP16 and BF16: real = code, `scale` is 1;
/// - ternary: real = sign(x) · scale where |x| > threshold, else 0;
/// - binary: real = −scale where x < 0, else scale.
struct Grid {
  float scale = 1;
  std::int32_t zeroPoint = 0;
  float threshold = 0;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// There is one per channel or group, many millions in a large layer with groups, so it is small.
using Grids = std::vector<Grid, LargePageAllocator<Grid>>;

/// A type and the range of its codes in use. The limits apply to integers only.
struct Codes {
  QuantType type = QuantType::Int8;
  std::int32_t qmin = -128;
  std::int32_t qmax = 127;

  /// All codes of the type.
  static Codes of(QuantType type) { return {type, lowestCode(type), highestCode(type)}; }
  friend bool operator==(const Codes&, const Codes&) = default;
};

/// Everything that fake quantization of one tensor needs.
///
/// `grids` holds one entry per tensor; or one per index of `axis` where `axis` ≥ 0; or, with
/// `groupSize` > 0, one per group of that many consecutive elements along `axis` (the last may be
/// shorter) and per index of all other axes, row-major. Dynamic parameters hold none: the grid
/// follows from each sample's own minimum and maximum.
struct QuantParams {
  QuantType type = QuantType::Int8;
  std::int32_t qmin = -128;
  std::int32_t qmax = 127;
  bool symmetric = true;
  bool dynamic = false;
  Convention convention = Convention::Onnx;
  int axis = -1;
  int groupSize = 0;
  Grids grids;

  bool perChannel() const { return axis >= 0; }
  Codes codes() const { return {type, qmin, qmax}; }
  /// Smallest and largest real number that `grid` can represent.
  Range representable(const Grid& grid) const;
  /// The numbers that are rounded, not clipped: up to half a step beyond the last codes.
  Range unclipped(const Grid& grid) const;
  friend bool operator==(const QuantParams&, const QuantParams&) = default;
};

/// The grid that covers `range`.
///
/// Asymmetric: the range is widened to contain 0, scale = (high − low) / (qmax − qmin),
/// zero point = clamp(qmin − rne(low / scale)); in the PyTorch convention high − low is
/// rounded to float first. Symmetric: absmax / ((qmax − qmin) / 2) in the
/// PyTorch convention; else absmax / qmax for signed types and absmax / (qmax − zeroPoint) for
/// unsigned ones, whose zero point is the middle code. The scale has a floor: the smallest
/// normal float, in the PyTorch convention FLT_EPSILON.
/// Throws InvalidRange for an empty range, low > high or a bound that is not finite.
Grid gridFromRange(const Range& range, bool symmetric, std::int32_t qmin, std::int32_t qmax,
                   Convention convention = Convention::Onnx);

/// The same for any type of `params`, from its type, limits, symmetry and convention. FP8: absmax /
/// largest number, with the same floor. FP16 and BF16 have no scale: 1. Ternary and binary: the
/// range alone says no more than absmax, the scale; each number goes to the nearest code. Where
/// their data are known see kernels/codes/magnitude_grid.h.
Grid gridFromRange(const Range& range, const QuantParams& params);

}  // namespace quantscope
