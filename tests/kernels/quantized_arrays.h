#pragma once

#include <QMetaType>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/quantize_packed.h"
#include "quant/quant_params.h"

namespace quantscope::test {

using Bytes = std::vector<std::uint8_t>;

struct TypeOnGrid {
  QuantType type;
  Grid grid;
};

/// The grid of channel or group `i`: one that differs from its neighbours'.
inline Grid variedGrid(const Grid& grid, std::size_t i) {
  const float factor = 1 + 0.25F * static_cast<float>(i % 5);
  return {grid.scale * factor, grid.zeroPoint, grid.threshold * factor};
}

/// The numbers' codes as the kernels store them.
inline Bytes stored(std::span<const float> in, const Codes& codes, const Grid& grid = {}) {
  Bytes bytes(storageSize(codes.type, in.size()), 0xAA);
  quantizePacked(in, bytes, codes, grid);
  return bytes;
}

/// The numbers of stored codes.
inline std::vector<float> restored(const Bytes& bytes, std::size_t count, const Codes& codes,
                                   const Grid& grid = {}) {
  std::vector<float> out(count, -1.0F);
  dequantizePacked(bytes, out, codes, grid);
  return out;
}

/// The numbers as the kernels round them.
inline std::vector<float> rounded(std::span<const float> in, const Codes& codes,
                                  const Grid& grid = {}) {
  std::vector<float> out(in.size(), -1.0F);
  fakeQuantize(in, out, codes, grid);
  return out;
}

}  // namespace quantscope::test

Q_DECLARE_METATYPE(quantscope::QuantType)
