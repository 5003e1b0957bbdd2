#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace quantscope {

/// A file that appears under its name only when it is complete.
///
/// Bytes go to a temporary file in the same folder. commit() renames it. Without a commit the
/// destructor removes it, so an error or a cancelled job leaves no half-written file and does not
/// touch an older file of that name. The file is open only during a call, so a run can write
/// thousands of values at once without reaching the limit of open files. A target that exists and
/// is no regular file (a device, a pipe) is written to directly.
///
/// Every function throws Error(Io) that names the file and what to do.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& target() const { return m_target; }

  void append(std::span<const std::byte> bytes);
  /// Replaces bytes that were written before.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  enum class Durability {
    Cached,  ///< survives the end of the program
    OnDisk,  ///< survives a power cut too; waits for the disk
  };
  /// Gives the file its name. Call once, as the last thing.
  void commit(Durability durability);

 private:
  bool direct() const { return m_written == m_target; }

  std::filesystem::path m_target;
  std::filesystem::path m_written;  ///< the temporary file, or the target itself
  bool m_done = false;
};

/// Writes a whole file that is complete on disk before it appears under its name.
/// Throws Error(Io) that names the file and what to do; nothing is left behind then.
void writeFileAtomically(const std::filesystem::path& file, std::span<const std::byte> bytes);
void writeFileAtomically(const std::filesystem::path& file, std::string_view text);

}  // namespace quantscope
