#include "base/files/file_stamp.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace quantscope {
namespace {

namespace fs = std::filesystem;

void add(ContentHasher& hasher, const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  hasher.add(path.string());
  for (const auto number :
       {static_cast<std::uint64_t>(status.st_size),
        static_cast<std::uint64_t>(status.st_mtim.tv_sec),
        static_cast<std::uint64_t>(status.st_mtim.tv_nsec),
        static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)}) {
    hasher.add(number);
  }
}

}  // namespace

FileStamp stampOf(const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure)) return {};
  ContentHasher hasher;
  add(hasher, path);
  if (!fs::is_directory(path, failure)) return {hasher.id()};
  std::vector<fs::path> entries;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(path, options, failure);
       !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) add(hasher, entry);
  return {hasher.id()};
}

}  // namespace quantscope
