#include "project/document.h"

#include "fuzz/fuzz_target.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(document) {
  test::mayRefuse([&] {
    Document document = parseDocument(bytes, "fuzzed");
    test::require(parseDocument(toJson(document), "written") == document, "written otherwise");
    while (document.canUndo()) document.undo();
    document.moveTo(document.journal().size());
  });
}
