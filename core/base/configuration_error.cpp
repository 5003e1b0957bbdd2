#include "base/configuration_error.h"

namespace quantscope {

Error configurationError(const std::string& key, const std::string& problem,
                         const std::string& remedy, const std::string& file) {
  return {ErrorCode::InvalidConfiguration,
          problem,
          {.file = file, .node = {}, .value = {}, .key = key},
          remedy};
}

}  // namespace quantscope
