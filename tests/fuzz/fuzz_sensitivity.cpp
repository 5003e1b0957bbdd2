// Results of a sensitivity analysis, and shards of one.

#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "jobs/sensitivity/run_sensitivity.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(sensitivity) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] { mergeSensitivity({file.path()}); });
}
