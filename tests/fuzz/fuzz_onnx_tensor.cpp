// A tensor in a file of its own, as in ONNX's test data.

#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "onnx/import.h"

QUANTSCOPE_FUZZ_TARGET(onnx_tensor) {
  const quantscope::test::FuzzedFile file(bytes);
  quantscope::test::mayRefuse([&] { quantscope::readNamedTensorFile(file.path()); });
}
