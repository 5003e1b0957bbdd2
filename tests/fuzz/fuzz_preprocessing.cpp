#include "calibration/images/preprocessing.h"

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(preprocessing) {
  test::mayRefuse([&] {
    const Preprocessing preprocessing = parsePreprocessing(bytes);
    test::require(parsePreprocessing(toJson(preprocessing)) == preprocessing, "written otherwise");
  });
}
