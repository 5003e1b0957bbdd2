#pragma once

#include <filesystem>
#include <vector>

namespace quantscope {

/// A folder for results, made with all that is missing above it. Unless keep() is called, the
/// destructor removes what was made and is empty: an error or a cancelled job leaves no folder
/// behind that was not there before.
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
