#pragma once

#include <filesystem>
#include <vector>

namespace quantscope {

/// A folder for results, created with its missing parents. Without keep() the destructor removes
/// the created folders that are empty, so an error or a cancelled job leaves no new folder behind.
class OutputFolder {
 public:
  /// Throws Error(Io) where the folder cannot be made or nothing can be written into it.
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  void keep() { m_made.clear(); }

 private:
  void make();
  void removeMade();

  std::filesystem::path m_path;
  std::vector<std::filesystem::path> m_made;  // outermost first
};

}  // namespace quantscope
