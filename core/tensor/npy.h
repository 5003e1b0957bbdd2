#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/files/byte_source.h"
#include "tensor/npy_header.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Reads an array in NumPy's format piece by piece: versions 1 to 3, C and Fortran order, little
/// and big endian, every element type but bfloat16 (which NumPy has not). Memory does not grow
/// with axis 0. Not thread-safe.
class NpyReader {
 public:
  /// Throws Error(Io, InvalidData or UnsupportedType) for anything but a sound file whose header
  /// fits its length.
  explicit NpyReader(const std::filesystem::path& file);
  /// Reads from any bytes; `place` is used in error messages.
  NpyReader(std::unique_ptr<ByteSource> source, Place place);

  ElementType type() const { return m_header.type; }
  const Shape& shape() const { return m_header.shape; }
  const Place& place() const { return m_place; }

  /// The whole array.
  Tensor read();
  /// Rows [first, first + count) of axis 0, in a tensor [count, …]. Throws InvalidParameters for a
  /// scalar or rows that do not exist.
  Tensor readRows(std::int64_t first, std::int64_t count);

 private:
  Tensor readContiguous(std::uint64_t firstElement, const Shape& shape);
  Tensor readFortranRows(std::int64_t first, std::int64_t count);
  Tensor gatherFortranRows(std::int64_t first, std::int64_t count);
  void finish(Tensor& tensor) const;
  bool rowsAreScattered() const;

  std::unique_ptr<ByteSource> m_source;
  Place m_place;
  NpyHeader m_header;
  Tensor m_block;  ///< the last rows gathered from Fortran order
  std::int64_t m_blockFirst = 0;
};

/// Reads a whole `.npy` file. Throws as NpyReader does.
Tensor readNpy(const std::filesystem::path& file);

/// Writes a `.npy` file (version 1.0, C order, little endian; bfloat16 as float32) that appears
/// when it is complete. Throws Error(Io).
void writeNpy(const std::filesystem::path& file, const Tensor& tensor);

/// Writes tensors that arrive one by one into one file, stacked on a new axis 0: [N, …].
/// The file appears at close(); without it nothing is left behind.
class NpyStackWriter {
 public:
  explicit NpyStackWriter(const std::filesystem::path& file);

  /// Throws InvalidParameters for a tensor of another type or shape than the first; Error(Io).
  void append(const Tensor& tensor);
  std::int64_t count() const { return m_count; }
  /// Throws InsufficientData where nothing was appended; Error(Io).
  void close();

 private:
  std::string header(std::int64_t count) const;

  std::unique_ptr<AtomicFile> m_file;
  ElementType m_type = ElementType::Float32;
  std::vector<std::int64_t> m_rowDimensions;
  std::int64_t m_count = 0;
};

}  // namespace quantscope
