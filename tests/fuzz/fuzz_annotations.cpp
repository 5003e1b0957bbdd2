#include "precision/sharing/annotations.h"

#include "fuzz/fuzz_target.h"
#include "fuzz/small_model.h"
#include "precision/sharing/annotation_groups.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(annotations) {
  test::mayRefuse([&] {
    const std::vector<Annotation> annotations = parseAnnotations(bytes, "fuzzed");
    test::mayRefuse([&] { groupAnnotations(annotations); });
    requireKnownPoints(annotations, test::smallModel().graph());
  });
}
