// The manifest of a folder with dumps, beside one array and one file of raw elements.

#include "compare/dumps/dump_folder.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "tensor/npy.h"

using namespace quantscope;

namespace {

// Written once; the manifest changes.
const test::FuzzedFolder& folder() {
  static const test::FuzzedFolder dumps;
  static const bool written = [] {
    writeNpy(dumps.path() / "a.npy", Tensor::zeros(ElementType::Float32, {2, 3}));
    dumps.write("b.raw", std::string(24, '\1'));
    return true;
  }();
  (void)written;
  return dumps;
}

}  // namespace

QUANTSCOPE_FUZZ_TARGET(device_dumps) {
  folder().write("manifest.json", bytes);
  test::mayRefuse([&] {
    const DumpFolder dumps(folder().path());
    for (const DumpedValue& value : dumps.values()) {
      test::mayRefuse([&] {
        const std::size_t samples = dumps.sampleCount(value);
        if (samples > 0) dumps.read(value, samples - 1);
      });
    }
  });
}
