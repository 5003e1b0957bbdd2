#include "base/peak_memory.h"

#include <sys/resource.h>

namespace quantscope {

double peakRssMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // KiB on Linux
}

}  // namespace quantscope
