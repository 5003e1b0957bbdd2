#include "analysis/cost/cost_table.h"

#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(cost_table) {
  test::mayRefuse([&] {
    const CostTable table = parseCostTable(bytes, "fuzzed");
    test::require(parseCostTable(toJson(table).dump(), "written") == table, "written otherwise");
  });
}
