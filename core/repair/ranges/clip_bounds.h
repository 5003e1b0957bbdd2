#pragma once

#include <optional>

#include "engine/engine.h"

namespace quantscope {

/// The upper bound of a Clip whose lower one is 0; nothing for other nodes.
std::optional<double> clipFromZero(const Engine& engine, const Node& node);

}  // namespace quantscope
