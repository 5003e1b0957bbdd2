#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "jobs/compare/compare_files.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(matches) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] { readMatches(file.path()); });
}
