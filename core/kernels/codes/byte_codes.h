#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "base/error.h"

namespace quantscope {

/// How the kernels see codes of int8 and uint8 as one: the byte of a code, `flip` applied by
/// exclusive or, is the code minus the type's lowest, 0 … 255.
struct ByteCodes {
  std::int32_t first = 0;  ///< qmin minus the type's lowest code
  std::uint8_t flip = 0;
};

/// Throws InvalidParameters where qmin or qmax is no code of the type.
template <class Code>
ByteCodes byteCodes(std::int32_t qmin, std::int32_t qmax) {
  using Limits = std::numeric_limits<Code>;
  if (qmin < Limits::lowest() || qmax > Limits::max()) {
    throw Error(ErrorCode::InvalidParameters, "codes from " + std::to_string(qmin) + " to " +
                                                  std::to_string(qmax) + " do not fit 8 bits");
  }
  return {qmin - Limits::lowest(), static_cast<std::uint8_t>(Limits::is_signed ? 0x80 : 0)};
}

template <class Code>
auto bytesOf(std::span<Code> codes) {
  using Byte = std::conditional_t<std::is_const_v<Code>, const std::uint8_t, std::uint8_t>;
  return reinterpret_cast<Byte*>(codes.data());
}

}  // namespace quantscope
