// The functions that libFuzzer calls, for the one target that is linked into the program.

#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const quantscope::test::FuzzTarget target = quantscope::test::fuzzTargets().at(0);
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
