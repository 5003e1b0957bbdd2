#pragma once

#include <filesystem>

#include "base/error.h"

namespace quantscope {

enum class FileAction { Read, Write };

/// The Io error for a system call on `file` that failed with errno value `code`: what happened and
/// what to do, for the causes that a user can remove (full disk, no permission, missing folder …).
Error fileError(FileAction action, const std::filesystem::path& file, int code);

}  // namespace quantscope
