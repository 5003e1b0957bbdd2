#include "base/configuration_error.h"

namespace quantscope {

ConfigurationError::ConfigurationError(std::string key, std::string problem,
                                       const std::string& remedy, const std::string& file)
    : Error(ErrorCode::InvalidConfiguration, "'" + key + "' " + problem,
            {.file = file, .node = {}, .value = {}}, remedy),
      m_key(std::move(key)),
      m_problem(std::move(problem)) {}

}  // namespace quantscope
