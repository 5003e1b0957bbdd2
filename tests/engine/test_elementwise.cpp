#include <QtTest>

#include "engine/operator_case.h"
#include "engine/operator_runner.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const OperatorCase kElementwiseCases[] = {
    // Arithmetic
    {"integers wrap around", "y = Add(x, x1)", "int8[2]{127, -128}; int8[2]{1, -1}",
     "int8[2]{-128, 127}"},
    {"products of uint16 wrap around", "y = Mul(x, x1)", "uint16[1]{65535}; uint16[1]{65535}",
     "uint16[1]{1}"},
    {"differences of unsigned wrap around", "y = Sub(x, x1)", "uint32[1]{0}; uint32[1]{1}",
     "uint32[1]{4294967295}"},
    {"integer division rounds to zero", "y = Div(x, x1)", "int32[2]{-7, 7}; int32[2]{2, -2}",
     "int32[2]{-3, -3}"},
    {"the smallest integer by -1", "y = Div(x, x1)", "int32[1]{-2147483648}; int32[]{-1}",
     "int32[1]{-2147483648}"},
    {"integer division by zero", "y = Div(x, x1)", "int64[2]{1, 2}; int64[2]{1, 0}",
     "error: divided by zero"},
    {"float division by zero", "y = Div(x, x1)", "float[3]{1, -1, 0}; float[]{0}",
     "float[3]{inf, -inf, nan}"},
    {"remainder has the divisor's sign", "y = Mod(x, x1)",
     "int32[4]{-4, 7, 5, 4}; int32[4]{2, -3, 8, -3}", "int32[4]{0, -2, 5, -2}"},
    {"fmod has the dividend's sign", "y = Mod(x, x1) fmod=1",
     "int32[3]{-4, 7, -5}; int32[3]{3, -3, 8}", "int32[3]{-1, 1, -5}"},
    {"remainder by zero", "y = Mod(x, x1)", "uint8[1]{3}; uint8[1]{0}", "error: divided by zero"},
    {"the smallest integer modulo -1", "y = Mod(x, x1) fmod=1",
     "int64[1]{-9223372036854775808}; int64[1]{-1}", "int64[1]{0}"},
    {"power of integers", "y = Pow(x, x1)", "int32[4]{3, -2, 2, 0}; int64[4]{4, 3, -1, 0}",
     "int32[4]{81, -8, 0, 1}"},
    {"integer to a float power", "y = Pow(x, x1)", "int64[2]{9, 2}; float[]{0.5}",
     "int64[2]{3, 1}"},
    {"float to an integer power", "y = Pow(x, x1)", "float[3]{2, -3, 0.5}; int32[]{3}",
     "float[3]{8, -27, 0.125}"},
    {"one exponent for all, of higher rank", "y = Pow(x, x1)", "float[2]{2, 3}; float[1, 1]{2}",
     "float[1, 2]{4, 9}"},
    {"power of one half", "y = Pow(x, x1)", "float[4]{4, -0, -inf, -1}; float[]{0.5}",
     "float[4]{2, 0, inf, nan}"},
    {"scalars", "y = Mul(x, x1)", "float[]{2}; float[]{3}", "float[]{6}"},
    {"an operand is missing", "y = Add(x, x1)", "float[2]{1, 2};", "error: input 1 is missing"},
    {"operands of different types", "y = Add(x, x1)", "float[1]{1}; int32[1]{1}",
     "error: expected float32"},
    {"shapes that do not fit", "y = Add(x, x1)", "float[2, 3]; float[2]", "error: [2, 3] and [2]"},
    // Broadcasting
    {"both operands stretch", "y = Sub(x, x1)", "float[2, 1]{10, 20}; float[1, 3]{1, 2, 3}",
     "float[2, 3]{9, 8, 7, 19, 18, 17}"},
    {"lower rank on the left", "y = Sub(x, x1)", "float[2]{1, 2}; float[2, 2]{1, 2, 3, 4}",
     "float[2, 2]{0, 0, -2, -2}"},
    {"stretched between full axes", "y = Add(x, x1)",
     "int32[2, 2, 2]{0, 1, 2, 3, 4, 5, 6, 7}; int32[2, 1, 2]{10, 20, 30, 40}",
     "int32[2, 2, 2]{10, 21, 12, 23, 34, 45, 36, 47}"},
    {"no elements", "y = Add(x, x1)", "float[0, 3]; float[1, 3]", "float[0, 3]{}"},
    {"no elements against a scalar", "y = Mul(x, x1)", "float[2, 0]; float[]{2}", "float[2, 0]{}"},
    {"old versions align at an axis", "y = Add(x, x1) broadcast=1 axis=0",
     "float[2, 2]{1, 2, 3, 4}; float[2]{10, 20}", "float[2, 2]{11, 12, 23, 24}", 6},
    {"old versions align at the end", "y = Add(x, x1) broadcast=1",
     "float[2, 2]{1, 2, 3, 4}; float[2]{10, 20}", "float[2, 2]{11, 22, 13, 24}", 6},
    {"old versions, axis outside", "y = Add(x, x1) broadcast=1 axis=2", "float[2, 2]; float[2]",
     "error: axis 2", 6},
    // Several operands
    {"sum of one", "y = Sum(x)", "float[2]{1, 2}", "float[2]{1, 2}"},
    {"mean of three shapes", "y = Mean(x, x1, x2)",
     "float[2, 1]{0, 3}; float[1, 2]{0, 6}; float[]{3}", "float[2, 2]{1, 3, 2, 4}"},
    {"maximum keeps NaN", "y = Max(x, x1)", "float[3]{nan, 1, 2}; float[3]{0, nan, 1}",
     "float[3]{nan, nan, 2}"},
    {"minimum keeps NaN", "y = Min(x, x1)", "float[3]{nan, 1, 2}; float[3]{0, nan, 1}",
     "float[3]{nan, nan, 1}"},
    // One operand
    {"smallest integer has no magnitude", "y = Abs(x)", "int8[2]{-128, -3}", "int8[2]{-128, 3}"},
    {"sign", "y = Sign(x)", "float[4]{-2, -0, 3, nan}", "float[4]{-1, 0, 1, nan}"},
    {"ties round to even", "y = Round(x)", "float[5]{0.5, 1.5, -2.5, -0.2, nan}",
     "float[5]{0, 2, -2, -0, nan}"},
    {"only negative infinities", "y = IsInf(x) detect_positive=0", "float[3]{inf, -inf, nan}",
     "bool[3]{0, 1, 0}"},
    {"relu keeps NaN", "y = Relu(x)", "float[3]{-1, nan, 2}", "float[3]{0, nan, 2}"},
    {"hard sigmoid", "y = HardSigmoid(x) alpha=0.5 beta=0.25", "float[4]{-1, 0.5, 9, nan}",
     "float[4]{0, 0.5, 1, nan}"},
    {"leaky relu keeps NaN", "y = LeakyRelu(x) alpha=0.5", "float[3]{-1, nan, 2}",
     "float[3]{-0.5, nan, 2}"},
    {"celu without alpha", "y = Celu(x) alpha=0.0", "float[1]", "error: Celu"},
    {"where of bytes", "y = Where(x, x1, x2)", "bool[3]{1, 0, 1}; int8[3]{1, 2, 3}; int8[1]{9}",
     "int8[3]{1, 9, 3}"},
    {"where between two numbers", "y = Where(x, x1, x2)",
     "bool[3]{1, 0, 1}; int64[]{1}; int64[]{2}", "int64[3]{1, 2, 1}"},
    {"where of doubles", "y = Where(x, x1, x2)", "bool[2]{1, 0}; double[]{1}; double[2]{2, 3}",
     "double[2]{1, 3}"},
    {"shrink", "y = Shrink(x) lambd=1.5 bias=0.5", "float[4]{-2, 1, 2, nan}",
     "float[4]{-1.5, 0, 1.5, nan}"},
    {"no square root of strings of bits", "y = Sqrt(x)", "bool[1]{1}", "error: bool"},
    {"bits", "y = BitwiseNot(x)", "uint8[2]{0, 5}", "uint8[2]{255, 250}", 18},
    {"shift by the width", "y = BitShift(x, x1) direction=\"LEFT\"",
     "uint8[3]{1, 255, 3}; uint8[3]{7, 8, 200}", "uint8[3]{128, 0, 0}"},
    {"shift without direction", "y = BitShift(x, x1)", "uint8[1]{1}; uint8[1]{1}", "error: LEFT"},
    // Clip
    {"bounds as inputs", "y = Clip(x, x1, x2)", "float[4]{-5, 0, 5, nan}; float[]{-1}; float[]{2}",
     "float[4]{-1, 0, 2, nan}"},
    {"upper bound only", "y = Clip(x, , x2)", "int8[3]{-5, 0, 5};; int8[]{2}", "int8[3]{-5, 0, 2}"},
    {"crossing bounds", "y = Clip(x, x1, x2)", "float[1]{0}; float[]{3}; float[]{1}",
     "float[1]{1}"},
    {"bound of two numbers", "y = Clip(x, x1)", "float[1]{0}; float[2]{1, 2}", "error: [2]"},
    {"bounds as attributes", "y = Clip(x) min=-1.0 max=6.0", "float[3]{-5, 0, 9}",
     "float[3]{-1, 0, 6}", 6},
    // Choice
    {"where", "y = Where(x, x1, x2)", "bool[2, 1]{1, 0}; float[2]{1, 2}; float[]{9}",
     "float[2, 2]{1, 2, 9, 9}"},
    {"where between types", "y = Where(x, x1, x2)", "bool[1]{1}; float[1]{1}; int32[1]{1}",
     "error: float32 and int32"},
    {"where of no elements", "y = Where(x, x1, x2)", "bool[0]; float[1]{1}; float[1]{2}",
     "float[0]{}"},
    // Slopes
    {"slope per channel", "y = PRelu(x, x1)",
     "float[1, 2, 2]{-1, 1, -2, 2}; float[2, 1]{0.5, 0.25}", "float[1, 2, 2]{-0.5, 1, -0.5, 2}"},
    {"old slope per channel", "y = PRelu(x, x1)",
     "float[1, 2, 2]{-1, 1, -2, 2}; float[2]{0.5, 0.25}", "float[1, 2, 2]{-0.5, 1, -0.5, 2}", 6},
    // Dropout
    {"dropout passes", "y, mask = Dropout(x)", "float[2]{1, 2}", "float[2]{1, 2}; bool[2]{1, 1}"},
    {"old mask has the data's type", "y, mask = Dropout(x)", "float[2]{1, 2}",
     "float[2]{1, 2}; float[2]{0, 0}", 7},
    {"training is random", "y = Dropout(x, x1, x2)", "float[1]{1}; float[]{0.5}; bool[]{1}",
     "error: training"},
    {"training without loss", "y = Dropout(x, x1, x2)", "float[1]{1}; float[]{0}; bool[]{1}",
     "float[1]{1}"},
    // Experiments
    {"affine", "y = Affine(x) alpha=2.0 beta=1.0", "float[2]{1, -1}", "float[2]{3, -1}", 7},
    {"image scaler", "y = ImageScaler(x) scale=2.0 bias=[1.0, 2.0]",
     "float[1, 2, 1, 2]{1, 2, 3, 4}", "float[1, 2, 1, 2]{3, 5, 8, 10}", 7},
    {"crop by borders", "y = Crop(x) border=[1, 0, 0, 1]",
     "float[1, 1, 3, 3]{1, 2, 3, 4, 5, 6, 7, 8, 9}", "float[1, 1, 2, 2]{2, 3, 5, 6}", 7},
    {"crop by size", "y = Crop(x) border=[1, 1, 0, 0] scale=[2, 1]",
     "float[1, 1, 3, 3]{1, 2, 3, 4, 5, 6, 7, 8, 9}", "float[1, 1, 2, 1]{5, 8}", 7},
    {"crop of too much", "y = Crop(x) border=[2, 0, 2, 0]", "float[1, 1, 3, 3]", "error: Crop", 7},
};

const OperatorCase kCasts[] = {
    {"towards zero", "y = Cast(x) to=6", "float[4]{1.9, -1.9, 0.5, -0}", "int32[4]{1, -1, 0, 0}"},
    {"out of the range of int32", "y = Cast(x) to=6", "float[4]{3e9, -3e9, nan, inf}",
     "int32[4]{-2147483648, -2147483648, -2147483648, -2147483648}"},
    {"out of the range of int64", "y = Cast(x) to=7", "float[2]{1e19, nan}",
     "int64[2]{-9223372036854775808, -9223372036854775808}"},
    {"the low bits of small integers", "y = Cast(x) to=2", "float[3]{300, -1, 3e9}",
     "uint8[3]{44, 255, 0}"},
    {"to uint64", "y = Cast(x) to=13", "double[2]{1e19, -1}",
     "uint64[2]{10000000000000000000, 18446744073709551615}"},
    {"to uint32", "y = Cast(x) to=12", "float[2]{4e9, -1}", "uint32[2]{4000000000, 4294967295}"},
    {"integers keep their low bits", "y = Cast(x) to=3", "int32[2]{200, -300}",
     "int8[2]{-56, -44}"},
    {"to bool", "y = Cast(x) to=9", "float[4]{0, -0, 0.1, nan}", "bool[4]{0, 0, 1, 1}"},
    {"to float16 rounds to even", "y = Cast(x) to=10", "float[2]{2049, 65520}",
     "float16[2]{2048, inf}"},
    {"from float16", "y = Cast(x) to=7", "float16[1]{-2.5}", "int64[1]{-2}"},
    {"between halves", "y = Cast(x) to=16", "float16[1]{1.5}", "bfloat16[1]{1.5}"},
    {"from bool", "y = Cast(x) to=11", "bool[2]{0, 1}", "double[2]{0, 1}"},
    {"by name", "y = Cast(x) to=\"INT64\"", "float[1]{2.5}", "int64[1]{2}", 5},
    {"to strings", "y = Cast(x) to=8", "float[1]{1}", "error: data type 8"},
    {"like another", "y = CastLike(x, x1)", "float[1]{2.5}; int8[1]{0}", "int8[1]{2}"},
};

}  // namespace

class ElementwiseTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() { addCases(kElementwiseCases); }
  void cases();
  void casts_data() { addCases(kCasts); }
  void casts();
  void soleOwnersAreOverwritten_data();
  void soleOwnersAreOverwritten();
  void sharedElementsAreNot();
  void stretchedOperandsAreNot();
};

void ElementwiseTest::cases() {
  QFETCH(int, row);
  const std::string difference = runCase(kElementwiseCases[row]);
  QVERIFY2(difference.empty(), difference.c_str());
}

void ElementwiseTest::casts() {
  QFETCH(int, row);
  const std::string difference = runCase(kCasts[row]);
  QVERIFY2(difference.empty(), difference.c_str());
}

void ElementwiseTest::soleOwnersAreOverwritten_data() {
  QTest::addColumn<QString>("node");
  QTest::addColumn<QString>("inputs");
  QTest::addColumn<int>("taken");  // index of the input whose elements hold the result
  QTest::newRow("unary") << "y = Relu(x)"
                         << "float[2, 3]" << 0;
  QTest::newRow("kernel") << "y = Sigmoid(x)"
                          << "float[2, 3]" << 0;
  QTest::newRow("left operand") << "y = Add(x, x1)"
                                << "float[2, 3]; float[3]" << 0;
  QTest::newRow("right operand") << "y = Sub(x, x1)"
                                 << "float[1, 3]; float[2, 3]" << 1;
  QTest::newRow("running sum") << "y = Sum(x, x1, x2)"
                               << "float[3]; float[2, 3]; float[2, 3]" << 1;
  QTest::newRow("square") << "y = Pow(x, x1)"
                          << "float[2, 3]; float[]{2}" << 0;
  QTest::newRow("identity") << "y = Identity(x)"
                            << "float[2, 3]" << 0;
  QTest::newRow("clip") << "y = Clip(x, x1)"
                        << "float[2, 3]; float[]{0}" << 0;
  QTest::newRow("scatter") << "y = ScatterND(x, x1, x2)"
                           << "float[3]; int64[1, 1]{0}; float[1]" << 0;
}

void ElementwiseTest::soleOwnersAreOverwritten() {
  QFETCH(QString, node);
  QFETCH(QString, inputs);
  QFETCH(int, taken);
  const OperatorRunner runner(node.toStdString());
  std::vector<Tensor> operands = tensorsFromText(inputs.toStdString());
  const std::vector<Tensor> expected = runner.run(tensorsFromText(inputs.toStdString()));
  const std::byte* elements = operands[static_cast<std::size_t>(taken)].bytes();
  const std::vector<Tensor> outputs = runner.runAsIs(std::move(operands));
  QVERIFY(outputs[0].bytes() == elements);
  QCOMPARE(exactDifference(outputs[0], expected[0]), std::string());
}

void ElementwiseTest::sharedElementsAreNot() {
  const Tensor before = tensorsFromText("float[2, 3]")[0];
  const Tensor held = Tensor::of(before.shape(), before.values<float>());
  const OperatorRunner add("y = Add(x, x1)");
  const Tensor doubled = add({held, held});
  QCOMPARE(exactDifference(held, before), std::string());
  for (std::size_t i = 0; i < 6; ++i) {
    QVERIFY(doubled.values<float>()[i] == 2 * before.values<float>()[i]);
  }
}

// The result is larger than either operand.
void ElementwiseTest::stretchedOperandsAreNot() {
  const OperatorRunner add("y = Add(x, x1)");
  const Tensor sum = add(tensorsFromText("float[2, 1]{1, 2}; float[2]{10, 20}"));
  QCOMPARE(exactDifference(sum, tensorsFromText("float[2, 2]{11, 21, 12, 22}")[0]), std::string());
}

QUANTSCOPE_TEST(ElementwiseTest)
#include "test_elementwise.moc"
