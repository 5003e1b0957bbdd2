#pragma once

#include <filesystem>

#include "base/content_id.h"

namespace quantscope {

/// Tells whether something on disk may have changed: names, sizes, times of the last change, and
/// places on disk of a file, or of all that is in a folder. The same stamp stands for the same
/// bytes, short of somebody who hides a change. Invalid where there is nothing.
struct FileStamp {
  ContentId id;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Never throws for what is missing or cannot be read.
FileStamp stampOf(const std::filesystem::path& path);

/// A file, and its stamp when it was read.
struct StampedFile {
  std::filesystem::path path;
  FileStamp stamp;

  bool unchanged() const { return stampOf(path) == stamp; }
};

}  // namespace quantscope
