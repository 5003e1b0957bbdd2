#include "fuzz/exercise_model.h"
#include "fuzz/fuzz_target.h"

QUANTSCOPE_FUZZ_TARGET(onnx) {
  quantscope::test::exerciseModel(bytes);
}
