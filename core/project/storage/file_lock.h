#pragma once

#include <filesystem>

#include "base/file_descriptor.h"

namespace quantscope {

/// Keeps a file for this one holder until it is destroyed, however its process ends. Readers are
/// not held up. Throws Error(Io) where somebody else holds it; a file system that knows no locks
/// keeps nobody away.
///
/// A lock of flock(), which SQLite's own locks do not touch. Closing any descriptor of a file drops
/// those of SQLite in the same process, so the lock outlives the database that it guards.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);

 private:
  FileDescriptor m_file;
};

}  // namespace quantscope
