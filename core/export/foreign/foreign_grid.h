#pragma once

#include <optional>
#include <string>
#include <vector>

#include "precision/config/encodings.h"

namespace quantscope {

/// Parameters of one tensor as another tool wrote them.
struct ForeignGrid {
  std::string tensor;  ///< the value's name
  /// A half type has no scales, nor has a dynamic grid. Several scales without an axis lie along
  /// the output channels of the weight, or in blocks along its input channels.
  Encoding encoding = {};
  bool symmetric = true;
  std::optional<std::int32_t> lowest = {};  ///< codes in use, where they are fewer than the type's
  std::optional<std::int32_t> highest = {};
  bool dynamic = false;
};

/// The content of another tool's file.
struct ForeignFile {
  std::vector<ForeignGrid> grids;
  bool integerBiases = false;        ///< it has biases of int32, whose grids are none of `grids`
  std::vector<std::string> notices;  ///< entries that cannot be held
};

/// Encodings of AIMET, versions 0.6.1, 1.0.0 and 2.0.0. Those of 32 bits are biases, whose grid
/// follows from their layer, or floats: they are no grids. Throws InvalidConfiguration naming the
/// key for another version, for types and layouts that are none, and for scales that are none.
ForeignFile readAimet(const std::string& text, const std::string& source);

/// A calibration cache of TensorRT: int8, symmetric. Throws InvalidData naming the line.
std::vector<ForeignGrid> readTensorrtCache(const std::string& text, const std::string& source);

}  // namespace quantscope
