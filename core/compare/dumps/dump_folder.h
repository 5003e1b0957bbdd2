#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file_stamp.h"
#include "tensor/tensor.h"

namespace quantscope {

/// One value that a device or a runtime has written: stacked samples in one file, or a file each.
struct DumpedValue {
  std::string name;
  std::vector<std::filesystem::path> files;
  ElementType type = ElementType::Float32;
  std::vector<std::int64_t> shape;  ///< [samples, …] of one file; of raw files it must be known
  bool stacked = true;
};

/// A folder with values and `manifest.json`, {"values": [{"name", "file" or "files", "shape",
/// "dtype"}]}, as `run` writes it. Files are `.npy`, or raw elements in the machine's order under
/// any other name. May be used from any thread.
class DumpFolder {
 public:
  /// Throws Error(Io or InvalidData), naming the file and the entry, for what is no such manifest,
  /// for files outside of the folder, and for values that are there twice.
  explicit DumpFolder(std::filesystem::path folder);

  const std::filesystem::path& path() const { return m_folder; }
  const std::vector<DumpedValue>& values() const { return m_values; }
  /// Samples of the value. Throws Error(Io or InvalidData).
  std::size_t sampleCount(const DumpedValue& value) const;
  /// One sample, without the axis of samples. Throws as above where file and manifest disagree.
  Tensor read(const DumpedValue& value, std::size_t sample) const;

  /// Throws Error(InvalidData) where a sample that was read is no longer what its file holds. Reads
  /// again what lies in files whose stamps are not those of the constructor.
  void requireUnchanged() const;

 private:
  using SampleOf = std::pair<std::string, std::size_t>;  // a value's name, and a sample

  std::filesystem::path m_folder;
  std::vector<DumpedValue> m_values;
  std::map<std::filesystem::path, FileStamp> m_stamps;
  mutable std::mutex m_mutex;
  mutable std::map<SampleOf, ContentId> m_read;  // what was read first
};

}  // namespace quantscope
