#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/npy.h"
#include "tensor/zip_archive.h"

namespace quantscope {

/// The entry of one array in a `.npz` archive.
struct NpzArray {
  std::string name;  ///< without ".npy"
  ElementType type = ElementType::Float32;
  Shape shape;
};

/// A zip archive of `.npy` arrays, as numpy.savez and numpy.savez_compressed write it.
///
/// Arrays are read piece by piece, so that memory does not grow with their length: a stored one
/// from any position, a deflated one best in ascending order (going back starts again). An array
/// that was read from start to end has passed its checksum. Not thread-safe; the readers that it
/// opened count as part of it.
class NpzFile {
 public:
  /// Throws Error(Io) for a file that cannot be read, Error(InvalidData or UnsupportedType) for
  /// anything but a zip archive that holds arrays of numbers or booleans and nothing else.
  explicit NpzFile(const std::filesystem::path& file);

  /// The arrays in the order of the archive.
  const std::vector<NpzArray>& arrays() const { return m_arrays; }
  /// nullptr where there is none of that name.
  const NpzArray* find(std::string_view name) const;

  /// Opens an array; the reader may outlive this object. Throws InvalidData for an unknown name.
  NpyReader open(std::string_view name) const;

 private:
  NpyReader openEntry(const ZipArchive::Entry& entry) const;

  ZipArchive m_archive;
  std::vector<NpzArray> m_arrays;  ///< in step with the archive's entries
};

}  // namespace quantscope
