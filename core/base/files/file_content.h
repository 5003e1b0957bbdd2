#pragma once

#include <filesystem>

#include "base/content_id.h"

namespace quantscope {

/// The id of a file's bytes, or of the names and bytes of all files in a folder. Reads all of them.
/// Throws Error(Io) that names what is missing or cannot be read.
ContentId contentOf(const std::filesystem::path& path);

}  // namespace quantscope
