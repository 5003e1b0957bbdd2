#include "calibration/open_samples.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(labels) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] { readLabels(file.path()); });
}
