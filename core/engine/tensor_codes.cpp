#include "engine/tensor_codes.h"

#include <vector>

#include "engine/channels_along.h"
#include "kernels/codes/packed_codes.h"
#include "kernels/codes/quantize_packed.h"

namespace quantscope {
namespace {

void quantizeInto(std::span<std::uint8_t> stored, const Tensor& tensor, const QuantParams& params) {
  const std::span<const float> values = tensor.values<float>();
  if (!params.perChannel()) {
    quantizePacked(values, stored, params.codes(), params.grids.front());
    return;
  }
  const ChannelLayout layout =
      channelsAlong(tensor.shape(), normalizeAxis(params.axis, tensor.shape().rank()));
  if (params.groupSize > 0) {
    quantizePackedPerGroup(values, stored, layout, static_cast<std::size_t>(params.groupSize),
                           params.codes(), params.grids);
  } else {
    quantizePackedPerChannel(values, stored, layout, params.codes(), params.grids);
  }
}

ElementType elementTypeOf(QuantType type) {
  if (bitWidth(type) == 16) {
    return type == QuantType::Int16 ? ElementType::Int16 : ElementType::UInt16;
  }
  const bool isSignedCode = isSignCode(type) || (isInteger(type) && isSigned(type));
  return isSignedCode ? ElementType::Int8 : ElementType::UInt8;
}

// Extends the sign of a code of few bits, stored in the lowest ones.
std::int8_t signExtended(std::uint8_t code, QuantType type) {
  if (type == QuantType::Binary) return code == 0 ? -1 : 1;
  const int unused = 8 - bitWidth(type);
  return static_cast<std::int8_t>(static_cast<std::int8_t>(code << unused) >> unused);
}

}  // namespace

Tensor codesOf(const Tensor& tensor, const QuantParams& params) {
  Tensor codes(elementTypeOf(params.type), tensor.shape());
  const auto bytes = reinterpret_cast<std::uint8_t*>(codes.mutableBytes());
  const int bits = bitWidth(params.type);
  if (bits >= 8) {
    quantizeInto({bytes, codes.byteSize()}, tensor, params);
    return codes;
  }
  std::vector<std::uint8_t> stored(storageSize(params.type, tensor.elementCount()));
  quantizeInto(stored, tensor, params);
  unpackCodes(stored, bits, {bytes, tensor.elementCount()});
  if (codes.type() == ElementType::Int8) {
    for (std::size_t i = 0; i < tensor.elementCount(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(signExtended(bytes[i], params.type));
    }
  }
  return codes;
}

}  // namespace quantscope
