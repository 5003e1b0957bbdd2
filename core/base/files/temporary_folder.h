#pragma once

#include <filesystem>
#include <string>

namespace quantscope {

/// A new folder for temporary files, removed with this object.
class TemporaryFolder {
 public:
  /// Throws Io where there is no place for it.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path operator/(const std::string& name) const { return m_path / name; }

 private:
  std::filesystem::path m_path;
};

}  // namespace quantscope
