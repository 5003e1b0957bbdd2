#pragma once

#include "base/error.h"

namespace quantscope {

/// An Error of the code InvalidConfiguration about one entry of a configuration, or of another JSON
/// file: "'groups.join[0]' is not a list (FILE): REMEDY". `key` is the path of the entry; `problem`
/// goes on from it.
Error configurationError(const std::string& key, const std::string& problem,
                         const std::string& remedy, const std::string& file = {});

}  // namespace quantscope
