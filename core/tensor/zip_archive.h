#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files/byte_source.h"

namespace quantscope {

/// A zip archive to read entries from, through libzip. Entries are stored or deflated and not
/// encrypted, and what the directory says of their sizes is plausible; their bytes are checked as
/// they are read. Not thread-safe.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;  ///< bytes of the content, as the directory claims
    bool stored = false;
    std::uint64_t index = 0;
  };

  /// Throws Error(Io or InvalidData).
  explicit ZipArchive(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return m_file; }
  /// Files in the order of the directory; folders are left out.
  const std::vector<Entry>& entries() const { return m_entries; }

  /// The bytes of an entry; may outlive this object. Going back in a deflated entry restarts it.
  /// Throws Error(InvalidData) where they end early, go on, or do not match their checksum.
  std::unique_ptr<ByteSource> open(const Entry& entry) const;

 private:
  struct Handle;
  class EntrySource;
  Entry readEntry(std::uint64_t index, std::uint64_t archiveSize) const;

  std::filesystem::path m_file;
  std::shared_ptr<Handle> m_handle;
  std::vector<Entry> m_entries;
};

}  // namespace quantscope
