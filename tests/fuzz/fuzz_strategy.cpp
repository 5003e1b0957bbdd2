#include "search/profiles/profile_prior.h"

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(strategy) {
  test::mayRefuse([&] { parseStrategy(bytes, "fuzzed"); });
  test::mayRefuse([&] { parseCriteria(bytes); });
}
