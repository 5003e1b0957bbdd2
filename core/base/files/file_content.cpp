#include "base/files/file_content.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/files/file_error.h"
#include "base/files/input_file.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

void addContent(ContentHasher& hasher, const std::filesystem::path& path) {
  InputFile file(path);
  hasher.add(file.size());
  std::vector<std::byte> chunk;
  for (std::uint64_t offset = 0; offset < file.size(); offset += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min(kChunk, file.size() - offset)));
    file.read(offset, chunk);
    hasher.add(chunk);
  }
}

std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  std::filesystem::recursive_directory_iterator entry(folder, failure);
  for (; !failure && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(failure)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) files.push_back(entry->path());
  }
  if (failure) throw fileError(FileAction::Read, folder, failure.value());
  std::ranges::sort(files);
  return files;
}

}  // namespace

ContentId contentOf(const std::filesystem::path& path) {
  ContentHasher hasher;
  std::error_code failure;
  if (!std::filesystem::is_directory(path, failure)) {
    addContent(hasher, path);
    return hasher.id();
  }
  for (const std::filesystem::path& file : filesBelow(path)) {
    hasher.add(file.lexically_relative(path).string());
    addContent(hasher, file);
  }
  return hasher.id();
}

}  // namespace quantscope
