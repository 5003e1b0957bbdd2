#include "precision/config/configuration.h"

#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "fuzz/small_model.h"
#include "precision/backend/backend.h"
#include "precision/parameters/quantized_model.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(configuration) {
  test::mayRefuse([&] {
    const Configuration config = parseConfiguration(bytes, "fuzzed");
    test::require(parseConfiguration(toJson(config), "written") == config, "written otherwise");
    // A backend may be a file, and none but our own are to be read here.
    if (std::ranges::find(backendNames(), config.precision->backend) == backendNames().end())
      return;
    quantizeModel(test::smallModel(), config, Observations());
  });
}
