#pragma once

#include <filesystem>
#include <string>

#include "base/files/byte_source.h"
#include "base/files/file_descriptor.h"

namespace quantscope {

/// A file to read from. Throws Error(Io) where it is missing, unreadable or no regular file.
class InputFile : public ByteSource {
 public:
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return m_path; }
  std::uint64_t size() const override { return m_size; }
  void read(std::uint64_t offset, std::span<std::byte> target) override;

 private:
  std::filesystem::path m_path;
  FileDescriptor m_file;
  std::uint64_t m_size = 0;
};

/// The whole file. Throws Error(Io) for one longer than `maxBytes` too.
std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes);

}  // namespace quantscope
