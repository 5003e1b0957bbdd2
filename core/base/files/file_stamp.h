#pragma once

#include <filesystem>

#include "base/content_id.h"

namespace quantscope {

/// Detects changes on disk without reading content: the names, sizes, modification times and inodes
/// of a file, or of everything in a folder. Equal stamps mean equal bytes unless a change was
/// hidden on purpose. Invalid if the path does not exist.
struct FileStamp {
  ContentId id;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Does not throw if the path is missing or unreadable.
FileStamp stampOf(const std::filesystem::path& path);

/// A file, and its stamp when it was read.
struct StampedFile {
  std::filesystem::path path;
  FileStamp stamp;

  bool unchanged() const { return stampOf(path) == stamp; }
};

}  // namespace quantscope
