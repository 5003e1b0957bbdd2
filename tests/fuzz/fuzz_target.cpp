#include "fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

namespace quantscope::test {

std::vector<FuzzTarget>& fuzzTargets() {
  static std::vector<FuzzTarget> targets;
  return targets;
}

FuzzTargetRegistrar::FuzzTargetRegistrar(const char* name, void (*run)(std::string_view)) {
  fuzzTargets().push_back({name, run});
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

}  // namespace quantscope::test
