#include <QtTest>

#include "engine/operator_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const OperatorCase kIndexingCases[] = {
    {"gather by a scalar", "y = Gather(x, x1) axis=1", "int8[2, 2]{1, 2, 3, 4}; int64[]{-1}",
     "int8[2]{2, 4}"},
    {"gather by a matrix", "y = Gather(x, x1)", "int8[3, 1]{1, 2, 3}; int32[1, 2]{2, 0}",
     "int8[1, 2, 1]{3, 1}"},
    {"gather halves", "y = Gather(x, x1)", "float16[2]{1, 2}; int64[1]{1}", "float16[1]{2}"},
    {"gather nothing", "y = Gather(x, x1)", "int8[2, 3]; int64[0]{}", "int8[0, 3]{}"},
    {"gather too far", "y = Gather(x, x1)", "int8[3]; int64[2]{0, 3}", "error: index 3"},
    {"gather too far back", "y = Gather(x, x1)", "int8[3]; int64[1]{-4}", "error: index -4"},
    {"gather the smallest index", "y = Gather(x, x1)", "int8[3]; int64[1]{-9223372036854775808}",
     "error: index -9223372036854775808"},
    {"gather from nothing", "y = Gather(x, x1)", "int8[0]{}; int64[1]{0}", "error: index 0"},
    {"gather by floats", "y = Gather(x, x1)", "int8[3]; float[1]{0}", "error: expected int32"},
    {"gather along an axis that is not there", "y = Gather(x, x1) axis=1", "int8[3]; int64[1]{0}",
     "error: axis 1"},
    {"elements", "y = GatherElements(x, x1) axis=1", "int8[2, 2]{1, 2, 3, 4}; int64[2, 1]{1, -2}",
     "int8[2, 1]{2, 3}"},
    {"elements of fewer rows", "y = GatherElements(x, x1) axis=1",
     "int8[2, 2]{1, 2, 3, 4}; int64[1, 3]{1, 1, 0}", "int8[1, 3]{2, 2, 1}"},
    {"elements of more rows", "y = GatherElements(x, x1) axis=1", "int8[2, 2]; int64[3, 1]",
     "error: [3, 1]"},
    {"element too far", "y = GatherElements(x, x1)", "int8[2]; int64[1]{2}", "error: index 2"},
    {"points", "y = GatherND(x, x1)", "int8[2, 2]{1, 2, 3, 4}; int64[2, 2]{0, 1, -1, 0}",
     "int8[2]{2, 3}"},
    {"rows", "y = GatherND(x, x1)", "int8[2, 2]{1, 2, 3, 4}; int64[1, 1]{1}", "int8[1, 2]{3, 4}"},
    {"points of each item", "y = GatherND(x, x1) batch_dims=1",
     "int8[2, 2]{1, 2, 3, 4}; int64[2, 1]{1, 0}", "int8[2]{2, 3}"},
    {"everything, by no coordinates", "y = GatherND(x, x1)", "int8[2]{1, 2}; int64[2, 0]{}",
     "int8[2, 2]{1, 2, 1, 2}"},
    {"more coordinates than axes", "y = GatherND(x, x1)", "int8[2]; int64[1, 2]", "error: [1, 2]"},
    {"items that do not match", "y = GatherND(x, x1) batch_dims=1", "int8[2, 2]; int64[3, 1]",
     "error: [3, 1]"},
    {"negative batch_dims", "y = GatherND(x, x1) batch_dims=-1", "int8[2]; int64[1, 1]",
     "error: batch_dims"},
    {"coordinate too far", "y = GatherND(x, x1)", "int8[2]; int64[1, 1]{5}", "error: index 5"},
    {"scatter elements", "y = ScatterElements(x, x1, x2) axis=-1",
     "int8[1, 3]{1, 2, 3}; int64[1, 2]{2, 0}; int8[1, 2]{8, 9}", "int8[1, 3]{9, 2, 8}"},
    {"the last of equal indices stays", "y = ScatterElements(x, x1, x2)",
     "int8[2]{1, 2}; int64[2]{0, 0}; int8[2]{8, 9}", "int8[2]{9, 2}"},
    {"scatter adds", "y = ScatterElements(x, x1, x2) reduction=\"add\"",
     "int8[2]{1, 2}; int64[2]{0, 0}; int8[2]{100, 100}", "int8[2]{-55, 2}"},
    {"scatter takes the largest", "y = ScatterElements(x, x1, x2) reduction=\"max\"",
     "float[2]{1, 2}; int64[2]{0, 1}; float[2]{5, 0}", "float[2]{5, 2}", 18},
    {"unknown reduction", "y = ScatterElements(x, x1, x2) reduction=\"mean\"",
     "int8[1]; int64[1]{0}; int8[1]", "error: 'mean'"},
    {"updates of another shape", "y = ScatterElements(x, x1, x2)", "int8[2]; int64[1]{0}; int8[2]",
     "error: updates of shape [2]"},
    {"updates of another type", "y = ScatterElements(x, x1, x2)", "int8[2]; int64[1]{0}; float[1]",
     "error: float32"},
    {"scatter too far", "y = ScatterElements(x, x1, x2)", "int8[2]; int64[1]{-3}; int8[1]",
     "error: index -3"},
    {"old scatter", "y = Scatter(x, x1, x2)", "int8[2]{1, 2}; int64[1]{1}; int8[1]{9}",
     "int8[2]{1, 9}", 9},
    {"scatter rows", "y = ScatterND(x, x1, x2)",
     "int8[2, 2]{1, 2, 3, 4}; int64[1, 1]{-1}; int8[1, 2]{8, 9}", "int8[2, 2]{1, 2, 8, 9}"},
    {"scatter multiplies", "y = ScatterND(x, x1, x2) reduction=\"mul\"",
     "float[2]{2, 3}; int64[2, 1]{1, 1}; float[2]{2, 5}", "float[2]{2, 30}"},
    {"rows of another length", "y = ScatterND(x, x1, x2)", "int8[2, 2]; int64[1, 1]{0}; int8[1, 3]",
     "error: updates of shape [1, 3]"},
    {"one-hot of negative and outside", "y = OneHot(x, x1, x2)",
     "int64[3]{1, -1, 7}; int64[]{2}; int8[2]{5, 6}", "int8[3, 2]{5, 6, 5, 6, 5, 5}"},
    {"one-hot along the first axis", "y = OneHot(x, x1, x2) axis=0",
     "float[2]{1, 0}; float[1]{2}; float[2]{0, 1}", "float[2, 2]{0, 1, 1, 0}"},
    {"one-hot of negative depth", "y = OneHot(x, x1, x2)", "int64[1]; int64[]{-1}; int8[2]",
     "error: depth -1"},
    {"one-hot of three values", "y = OneHot(x, x1, x2)", "int64[1]; int64[]{2}; int8[3]",
     "error: [3]"},
    {"one-hot beyond memory", "y = OneHot(x, x1, x2)",
     "int64[2]; int64[]{4611686018427387904}; int8[2]", "error: a tensor of"},
    {"what is not zero", "y = NonZero(x)", "float[2, 2]{0, 3, nan, -0}", "int64[2, 2]{0, 1, 1, 0}"},
    {"a scalar that is not zero", "y = NonZero(x)", "int8[]{3}", "int64[1, 1]{0}"},
    {"nothing is not zero", "y = NonZero(x)", "int8[2]{0, 0}", "int64[1, 0]{}"},
    {"unique, sorted", "y, first, inverse, counts = Unique(x)", "float[5]{2, 1, nan, 2, nan}",
     "float[3]{1, 2, nan}; int64[3]{1, 0, 2}; int64[5]{1, 0, 2, 1, 2}; int64[3]{1, 2, 2}"},
    {"unique, as they come", "y, first, inverse, counts = Unique(x) sorted=0",
     "int8[4]{3, 1, 3, 2}",
     "int8[3]{3, 1, 2}; int64[3]{0, 1, 3}; int64[4]{0, 1, 0, 2}; int64[3]{2, 1, 1}"},
    {"unique columns", "y = Unique(x) axis=1", "int8[2, 3]{1, 0, 1, 2, 0, 2}",
     "int8[2, 2]{0, 1, 0, 2}"},
    {"unique of nothing", "y = Unique(x)", "int8[0]{}", "int8[0]{}"},
};

}  // namespace

class IndexingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() { addCases(kIndexingCases); }
  void cases();
};

void IndexingTest::cases() {
  QFETCH(int, row);
  const std::string difference = runCase(kIndexingCases[row]);
  QVERIFY2(difference.empty(), difference.c_str());
}

QUANTSCOPE_TEST(IndexingTest)
#include "test_indexing.moc"
