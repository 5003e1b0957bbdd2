#include "bench/kernel_case.h"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace quantscope {
namespace {

// Used if the system does not report it; older cores have less.
constexpr long kLeastCache = 256 * 1024;

}  // namespace

// Half of the cache for both, so that code, tables and neighbours have room.
std::size_t residentElements() {
  const long cache = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), kLeastCache);
  const std::size_t elements = static_cast<std::size_t>(cache) / (2 * 2 * sizeof(float));
  return std::min(std::bit_floor(elements), kKernelBlock);
}

void refuseKernelAnswer(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::UnsupportedOperation,
              "the kernel " + name + " gives a wrong answer on this machine: " + what, {},
              "report it with the processor's name");
}

}  // namespace quantscope
