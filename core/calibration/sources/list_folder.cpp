#include "calibration/sources/list_folder.h"

#include <algorithm>
#include <system_error>

#include "base/files/file_error.h"

namespace quantscope {

std::vector<std::filesystem::path> listFolder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> paths;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    paths.push_back(entry->path());
  }
  if (failure) throw fileError(FileAction::Read, folder, failure.value());
  std::ranges::sort(paths, {}, [](const auto& path) { return path.filename().native(); });
  return paths;
}

}  // namespace quantscope
