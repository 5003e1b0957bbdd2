#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "tensor/npz.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(npz) {
  const test::FuzzedFile file(bytes);
  test::mayRefuse([&] {
    const NpzFile archive(file.path());
    for (const NpzArray& array : archive.arrays()) {
      test::mayRefuse([&] {
        NpyReader reader = archive.open(array.name);
        if (array.shape.empty() || array.shape[0] == 0) {
          reader.read();
          return;
        }
        reader.readRows(array.shape[0] - 1, 1);
        reader.readRows(0, std::min<std::int64_t>(array.shape[0], 4));
      });
    }
  });
}
