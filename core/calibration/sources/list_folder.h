#pragma once

#include <filesystem>
#include <vector>

namespace quantscope {

/// Everything in a folder but its sub-folders' contents, in byte order of the names.
/// Throws Error(Io).
std::vector<std::filesystem::path> listFolder(const std::filesystem::path& folder);

}  // namespace quantscope
