#pragma once

#include <cstddef>

namespace quantscope {

/// The default budget of a process's caches, in bytes: a quarter of the machine's memory, at most
/// 2,048 MiB.
std::size_t defaultMemoryBudget();

}  // namespace quantscope
