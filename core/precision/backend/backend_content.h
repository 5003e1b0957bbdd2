#pragma once

#include <string>

#include "base/content_id.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The content of a backend's own file. Invalid for a shipped backend, which never changes, and for
/// a file that cannot be read.
ContentId backendContent(const std::string& nameOrFile);

/// The path of a configuration's own backend; empty where it is shipped.
std::string backendFile(const Configuration& config);

/// The configuration with the content of a backend's own file in the place of its path: its ids are
/// the same wherever the file lies.
Configuration namedByContent(Configuration config);

}  // namespace quantscope
