#pragma once

#include <filesystem>
#include <string_view>

#include "base/files/file_descriptor.h"

namespace quantscope::test {

/// Bytes as a regular file in memory, for readers that want a path.
class FuzzedFile {
 public:
  explicit FuzzedFile(std::string_view bytes);

  std::filesystem::path path() const;

 private:
  FileDescriptor m_file;
};

/// A folder in memory where there is one, emptied when it is destroyed.
class FuzzedFolder {
 public:
  FuzzedFolder();
  ~FuzzedFolder();
  FuzzedFolder(const FuzzedFolder&) = delete;
  FuzzedFolder& operator=(const FuzzedFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;

 private:
  std::filesystem::path m_path;
};

}  // namespace quantscope::test
