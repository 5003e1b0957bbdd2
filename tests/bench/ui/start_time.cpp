#include "bench/ui/start_time.h"

#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace quantscope::bench {

double millisecondsSinceStart() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return -1;
  // The program's name, in parentheses, may hold spaces; the start is field 22, counted from 1.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return -1;
  const double started = std::stod(field) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6 - started;
}

}  // namespace quantscope::bench
