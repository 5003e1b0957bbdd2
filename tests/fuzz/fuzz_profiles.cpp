#include "search/profiles/profile_table.h"

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(profiles) {
  test::mayRefuse([&] { parseProfiles(bytes, "fuzzed").of("Conv", true); });
}
