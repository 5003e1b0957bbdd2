#pragma once

#include <string>

#include "search/optimized_config.h"

namespace quantscope {

/// The configuration file with "why" and "pareto", which readers of configurations pass over.
std::string optimizedConfigJson(const OptimizedConfig& optimized);

}  // namespace quantscope
