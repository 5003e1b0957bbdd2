#include "precision/backend/backend.h"

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(backend) {
  test::mayRefuse([&] { parseBackend(bytes, "fuzzed"); });
}
