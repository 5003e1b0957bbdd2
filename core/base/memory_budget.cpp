#include "base/memory_budget.h"

#include <unistd.h>

#include <algorithm>

namespace quantscope {

std::size_t defaultMemoryBudget() {
  constexpr std::size_t kMost = std::size_t{2048} << 20;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long pageBytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageBytes <= 0) return kMost;
  return std::min(kMost, static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(pageBytes));
}

}  // namespace quantscope
