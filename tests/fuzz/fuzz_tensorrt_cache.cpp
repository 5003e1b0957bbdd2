#include "export/foreign/foreign_configuration.h"
#include "export/foreign/foreign_grid.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/small_model.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(tensorrt_cache) {
  test::mayRefuse([&] {
    const Engine& engine = test::smallModel();
    configurationFrom(engine, placeByName(engine, readTensorrtCache(std::string(bytes), "fuzzed")));
  });
}
