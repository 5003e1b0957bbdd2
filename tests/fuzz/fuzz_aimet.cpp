// Encodings of AIMET, put into a small model as `import` does.

#include "export/foreign/foreign_configuration.h"
#include "export/foreign/foreign_grid.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/small_model.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(aimet) {
  test::mayRefuse([&] {
    const Engine& engine = test::smallModel();
    configurationFrom(engine, placeByName(engine, readAimet(std::string(bytes), "fuzzed").grids));
  });
}
