#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/files/input_file.h"

namespace quantscope {

/// The elements of a tensor that stand in a file of their own.
class ExternalData {
 public:
  /// `location`, relative to `folder`, must name a regular file inside it (after following symbolic
  /// links) that holds `size` bytes from byte `offset` on.
  /// Throws InvalidModel where it points outside or is too short, Io where it cannot be opened.
  ExternalData(const std::filesystem::path& folder, const std::string& location,
               std::uint64_t offset, std::uint64_t size);

  const std::filesystem::path& path() const { return m_file.path(); }
  /// Fills `target`, which takes `size` bytes. Throws Io where they cannot be read.
  void read(std::span<std::byte> target) { m_file.read(m_offset, target); }

 private:
  InputFile m_file;
  std::uint64_t m_offset;
};

}  // namespace quantscope
