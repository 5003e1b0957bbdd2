#include "precision/backend/backend_content.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/backend/backend.h"

namespace quantscope {

ContentId backendContent(const std::string& nameOrFile) {
  if (!isBackendFile(nameOrFile)) return {};
  try {
    return ContentHasher().add(readFile(nameOrFile, kMostBackendBytes)).id();
  } catch (const Error&) {
    return {};
  }
}

std::string backendFile(const Configuration& config) {
  const std::string& backend = config.precision->backend;
  return isBackendFile(backend) ? backend : std::string();
}

Configuration namedByContent(Configuration config) {
  const ContentId file = backendContent(config.precision->backend);
  if (file.valid()) {
    config.precision.edit([&](PrecisionConfig& precision) { precision.backend = toString(file); });
  }
  return config;
}

}  // namespace quantscope
