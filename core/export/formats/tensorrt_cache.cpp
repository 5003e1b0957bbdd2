// TensorRT's calibration cache, up to version 10: a line with the version, then
// "<tensor>: <8 hex digits>", the bits of the float32 scale amax / 127, big endian.

#include <bit>
#include <cmath>
#include <cstdint>

#include "export/formats/format.h"
#include "export/formats/shown_grids.h"

namespace quantscope {
namespace {

std::string hexOf(float number) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto bits = std::bit_cast<std::uint32_t>(number);
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) {
    text += kDigits[bits >> static_cast<unsigned>(shift) & 0xFU];
  }
  return text;
}

bool isSymmetricInt8(const QuantParams& params) {
  return params.type == QuantType::Int8 && params.grids.front().zeroPoint == 0;
}

}  // namespace

FormatOutput tensorrtCache(const FormatInput& input) {
  FormatOutput output{"TRT-8601-EntropyCalibration2\n", {}};
  output.losses.push_back({"", "TensorRT takes the scales of weights itself: none are written"});
  for (const ShownGrid& grid : shownGrids(input, output.losses)) {
    if (grid.isWeight) continue;
    const QuantParams& params = *grid.params;
    const auto lose = [&](const std::string& what) {
      output.losses.push_back({grid.node, describe(grid) + ": " + what});
    };
    if (grid.tensor.find(": ") != std::string::npos ||
        grid.tensor.find('\n') != std::string::npos) {
      lose("a name with ': ' in it cannot stand in a cache");
    } else if (!isInteger(params.type) || bitWidth(params.type) != 8 || params.dynamic) {
      lose("a cache holds 8-bit integers of a fixed range, not " + std::string(name(params.type)) +
           (params.dynamic ? " of one per sample" : ""));
    } else if (params.grids.size() != 1) {
      lose("a cache holds one scale per tensor");
    } else {
      const Grid& one = params.grids.front();
      const Range range = params.representable(one);
      const bool symmetric = isSymmetricInt8(params);
      if (!symmetric) lose("the grid becomes symmetric int8 over the same range");
      const float scale =
          symmetric ? one.scale : std::max(std::abs(range.low), std::abs(range.high)) / 127.0F;
      output.text += grid.tensor + ": " + hexOf(scale) + "\n";
    }
  }
  return output;
}

}  // namespace quantscope
