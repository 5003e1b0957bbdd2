#include <QtTest>

#include "engine/operator_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const OperatorCase kShapeCases[] = {
    {"shape", "y = Shape(x)", "float[2, 0, 3]{}", "int64[3]{2, 0, 3}"},
    {"shape of a scalar", "y = Shape(x)", "float[]{1}", "int64[0]{}"},
    {"part of a shape", "y = Shape(x) start=-2 end=-1", "float[2, 3, 4]", "int64[1]{3}"},
    {"ends that are cut off", "y = Shape(x) start=-9 end=9", "float[2, 3]", "int64[2]{2, 3}"},
    {"end before the start", "y = Shape(x) start=2 end=1", "float[2, 3]", "int64[0]{}"},
    {"size", "y = Size(x)", "float[2, 3]", "int64[]{6}"},
    {"filled", "y = ConstantOfShape(x) value=int8[1]{7}", "int64[2]{1, 2}", "int8[1, 2]{7, 7}"},
    {"filled with the default", "y = ConstantOfShape(x)", "int64[1]{2}", "float[2]{0, 0}"},
    {"filled scalar", "y = ConstantOfShape(x) value=float16[1]{1}", "int64[0]{}", "float16[]{1}"},
    {"filled with negative extent", "y = ConstantOfShape(x)", "int64[1]{-2}", "error: -2"},
    {"filled with two values", "y = ConstantOfShape(x) value=float[2]{1, 2}", "int64[1]{1}",
     "error: not one element"},
    {"more than memory holds", "y = ConstantOfShape(x)", "int64[2]{4611686018427387904, 1}",
     "error: memory"},
    {"constant numbers", "y = Constant() value_floats=[1.5, 2.0]", "", "float[2]{1.5, 2}"},
    {"constant integer", "y = Constant() value_int=3", "", "int64[]{3}"},
    {"constant text", "y = Constant() value_string=\"a\"", "", "error: else than numbers"},
    {"range", "y = Range(x, x1, x2)", "int32[]{10}; int32[]{4}; int32[]{-4}", "int32[2]{10, 6}"},
    {"range that is empty", "y = Range(x, x1, x2)", "int64[]{1}; int64[]{1}; int64[]{1}",
     "int64[0]{}"},
    {"range of floats", "y = Range(x, x1, x2)", "float[]{0}; float[]{1}; float[]{0.4}",
     "float[3]{0, 0.4, 0.8}"},
    {"range across all integers", "y = Range(x, x1, x2)",
     "int64[]{-9223372036854775808}; int64[]{9223372036854775807}; int64[]{4611686018427387904}",
     "int64[4]{-9223372036854775808, -4611686018427387904, 0, 4611686018427387904}"},
    {"range without end", "y = Range(x, x1, x2)", "float[]{0}; float[]{inf}; float[]{1}",
     "error: no end"},
    {"range without step", "y = Range(x, x1, x2)", "int64[]{0}; int64[]{1}; int64[]{0}",
     "error: no end"},
    {"range to nowhere", "y = Range(x, x1, x2)", "float[]{0}; float[]{nan}; float[]{1}",
     "error: no end"},
};

}  // namespace

class ShapesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() { addCases(kShapeCases); }
  void cases();
};

void ShapesTest::cases() {
  QFETCH(int, row);
  const std::string difference = runCase(kShapeCases[row]);
  QVERIFY2(difference.empty(), difference.c_str());
}

QUANTSCOPE_TEST(ShapesTest)
#include "test_shapes.moc"
