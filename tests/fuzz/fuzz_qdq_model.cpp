// A QDQ model as the source of a configuration.

#include "export/foreign/foreign_configuration.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "fuzz/small_model.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(qdq_model) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] {
    const Engine& engine = test::smallModel();
    configurationFrom(engine, readQdqModel(file.path(), engine));
  });
}
