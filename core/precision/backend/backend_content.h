#pragma once

#include <string>

#include "base/content_id.h"

namespace quantscope {

/// The content of a backend's own file. Invalid for a shipped backend, which never changes, and for
/// a file that cannot be read.
ContentId backendContent(const std::string& nameOrFile);

}  // namespace quantscope
