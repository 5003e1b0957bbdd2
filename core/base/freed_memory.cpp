#include "base/freed_memory.h"

#include <malloc.h>

namespace quantscope {
namespace {

constexpr int kKept = 256 << 20;
// The largest that glibc takes: larger arrays come from the operating system each time.
constexpr int kLargestInHeap = 32 << 20;

}  // namespace

void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
#endif
}

}  // namespace quantscope
