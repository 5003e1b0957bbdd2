#pragma once

#include <cstddef>

namespace quantscope {

/// What a process may keep to save work where nobody has said: a quarter of the machine's memory,
/// at most 2,048 MiB.
std::size_t defaultMemoryBudget();

}  // namespace quantscope
