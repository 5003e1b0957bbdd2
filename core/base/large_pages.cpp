#include "base/large_pages.h"

#include <sys/mman.h>

namespace quantscope {

void adviseLargePages(void* start, std::size_t bytes) {
  madvise(start, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
}

}  // namespace quantscope
