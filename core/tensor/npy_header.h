#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "base/files/byte_source.h"
#include "tensor/element_type.h"
#include "tensor/shape.h"

namespace quantscope {

/// The contents of the header of a `.npy` file. Format: numpy.lib.format, versions 1.0, 2.0 and
/// 3.0.
struct NpyHeader {
  ElementType type = ElementType::Float32;
  Shape shape;
  bool bigEndian = false;
  bool fortranOrder = false;     ///< the first axis runs fastest
  std::uint64_t dataOffset = 0;  ///< where the elements begin

  std::uint64_t dataBytes() const;
};

/// Reads and checks a header. Throws Error(InvalidData or UnsupportedType) at `place` for
/// anything but a sound header of an array of numbers or booleans whose elements all lie within
/// the source.
NpyHeader readNpyHeader(ByteSource& source, const Place& place);

/// Version 1.0 header of a little-endian array in C order, at least `minimumSize` bytes, a multiple
/// of 64. bfloat16, which NumPy does not know, has no header. Throws UnsupportedType for it.
std::string formatNpyHeader(ElementType type, std::span<const std::int64_t> dimensions,
                            std::size_t minimumSize = 0);

}  // namespace quantscope
