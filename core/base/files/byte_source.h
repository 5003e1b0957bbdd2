#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quantscope {

/// Bytes that are read piece by piece: a file, or an entry of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The number of bytes, as far as it is known without reading them.
  virtual std::uint64_t size() const = 0;

  /// Fills `target` with the bytes from `offset` on. Best in ascending order: going back may cost
  /// reading again from the start. Throws Error(Io or InvalidData) where the bytes end early.
  virtual void read(std::uint64_t offset, std::span<std::byte> target) = 0;
};

}  // namespace quantscope
