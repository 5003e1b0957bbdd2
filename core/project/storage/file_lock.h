#pragma once

#include <filesystem>

#include "base/files/file_descriptor.h"

namespace quantscope {

/// Locks a file for this holder until it is
/// destroyed, however its process ends.
/// Readers are not blocked. Throws
/// Error(Io) if another holder has the
/// lock; a file system without locks
/// excludes no holder.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);

 private:
  FileDescriptor m_file;
};

}  // namespace quantscope
