#include <QtTest>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/element_loops.h"
#include "kernels/kernel_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Operation = UnaryElement::Operation;

struct UnaryCase {
  const char* name;
  UnaryElement element;
  float (*twin)(float);
};

float withinUnit(float x) {
  const float raised = x < 0 ? 0 : x;
  return raised > 1 ? 1 : raised;
}

const std::array kUnary = {
    UnaryCase{"identity", {}, [](float x) { return x; }},
    UnaryCase{"relu", {Operation::Relu}, [](float x) { return x < 0 ? 0.0F : x; }},
    UnaryCase{
        "leaky relu", {Operation::LeakyRelu, 0.3F}, [](float x) { return x < 0 ? 0.3F * x : x; }},
    UnaryCase{"clamp",
              {Operation::Clamp, -0.5F, 6},
              [](float x) {
                const float raised = x < -0.5F ? -0.5F : x;
                return raised > 6 ? 6 : raised;
              }},
    UnaryCase{"hard sigmoid",
              {Operation::HardSigmoid, 0.2F, 0.5F},
              [](float x) { return withinUnit(0.2F * x + 0.5F); }},
    UnaryCase{"hard swish",
              {Operation::HardSwish},
              [](float x) { return x * withinUnit(x * (1.0F / 6) + 0.5F); }},
    UnaryCase{"absolute", {Operation::Absolute}, [](float x) { return std::abs(x); }},
    UnaryCase{"negate", {Operation::Negate}, [](float x) { return -x; }},
    UnaryCase{"square root", {Operation::SquareRoot}, [](float x) { return std::sqrt(x); }},
    UnaryCase{"square", {Operation::Square}, [](float x) { return x * x; }},
};

struct BinaryCase {
  const char* name;
  BinaryElement element;
  float (*twin)(float, float);
};

const std::array kBinary = {
    BinaryCase{"add", BinaryElement::Add, [](float x, float p) { return x + p; }},
    BinaryCase{"subtract", BinaryElement::Subtract, [](float x, float p) { return x - p; }},
    BinaryCase{"subtract from", BinaryElement::SubtractFrom,
               [](float x, float p) { return p - x; }},
    BinaryCase{"multiply", BinaryElement::Multiply, [](float x, float p) { return x * p; }},
    BinaryCase{"divide", BinaryElement::Divide, [](float x, float p) { return x / p; }},
    BinaryCase{"divide into", BinaryElement::DivideInto, [](float x, float p) { return p / x; }},
    BinaryCase{"slope", BinaryElement::Slope, [](float x, float p) { return x < 0 ? p * x : x; }},
};

/// Hostile numbers without denormals, which the floating-point mode decides about.
std::vector<float> normalNumbers(std::size_t count, unsigned seed) {
  std::vector<float> values = hostileNumbers(count, 10, seed);
  for (float& value : values) {
    if (std::abs(value) < std::numeric_limits<float>::min()) value = std::copysign(0.0F, value);
  }
  return values;
}

/// The same bits, or both NaN.
bool sameNumber(float a, float b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

QString describe(const char* name, std::size_t at, float actual, float expected) {
  return QString("%1 of element %2 is %3, not %4")
      .arg(name)
      .arg(at)
      .arg(double{actual}, 0, 'g', 9)
      .arg(double{expected}, 0, 'g', 9);
}

}  // namespace

class ElementLoopsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unaryMatchesItsFormula_data() { addKernelModes(); }
  void unaryMatchesItsFormula();
  void binaryMatchesItsFormula_data() { addKernelModes(); }
  void binaryMatchesItsFormula();
  void oneLoopRoundsLikeSeveral_data() { addKernelModes(); }
  void oneLoopRoundsLikeSeveral();
  void aWrongResultIsSeen();
};

void ElementLoopsTest::unaryMatchesItsFormula() {
  const std::vector<float> x = normalNumbers(5000, 3);
  const KernelMode mode = kernelModeOfRow();
  for (const UnaryCase& tested : kUnary) {
    for (const std::size_t length : kernelLengths()) {
      const auto part = std::span(x).first(length);
      OffsetArray array(part, length % 16);
      const std::span<float> y = array.span();
      applyUnary(tested.element, y, y);
      for (std::size_t i = 0; i < length; ++i) {
        const float expected = tested.twin(x[i]);
        QVERIFY2(sameNumber(y[i], expected), qPrintable(describe(tested.name, i, y[i], expected)));
      }
    }
  }
}

void ElementLoopsTest::binaryMatchesItsFormula() {
  const std::vector<float> x = normalNumbers(5000, 5);
  const std::vector<float> p = normalNumbers(5000, 6);
  const KernelMode mode = kernelModeOfRow();
  for (const BinaryCase& tested : kBinary) {
    for (const std::size_t length : kernelLengths()) {
      const auto left = std::span(x).first(length);
      const auto operand = std::span(p).first(length);
      OffsetArray right(operand, length % 7);
      OffsetArray each(left, length % 16);
      applyBinary(tested.element, each.span(), right.span(), each.span());
      OffsetArray one(left, length % 16);
      applyBinary(tested.element, one.span(), std::span(p).subspan(20, 1), one.span());
      for (std::size_t i = 0; i < length; ++i) {
        const float withEach = tested.twin(x[i], p[i]);
        QVERIFY2(sameNumber(each.span()[i], withEach),
                 qPrintable(describe(tested.name, i, each.span()[i], withEach)));
        QVERIFY(sameNumber(one.span()[i], tested.twin(x[i], p[20])));
      }
    }
  }
}

void ElementLoopsTest::oneLoopRoundsLikeSeveral() {
  const std::vector<float> x = normalNumbers(5000, 8);
  const std::vector<float> scale = normalNumbers(5000, 9);
  const std::vector<float> shift = normalNumbers(5000, 10);
  const KernelMode mode = kernelModeOfRow();
  for (const UnaryCase& after : kUnary) {
    for (const std::size_t length : kernelLengths()) {
      const auto part = [&](const std::vector<float>& all) { return std::span(all).first(length); };
      std::vector<float> expected(length);
      std::vector<float> actual(length);
      applyBinary(BinaryElement::Add, part(x), part(shift), expected);
      applyUnary(after.element, expected, expected);
      applySum(part(x), part(shift), after.element, actual);
      QVERIFY2(std::ranges::equal(actual, expected, sameNumber), after.name);
      applyBinary(BinaryElement::Multiply, part(x), part(scale), expected);
      applyBinary(BinaryElement::Add, expected, part(shift), expected);
      applyUnary(after.element, expected, expected);
      applyScaleShift(part(x), part(scale), part(shift), after.element, actual);
      QVERIFY2(std::ranges::equal(actual, expected, sameNumber), after.name);
    }
  }
}

// What a fused multiply-add, a maximum instead of a choice, or a lost NaN would give.
void ElementLoopsTest::aWrongResultIsSeen() {
  QVERIFY(!sameNumber(std::fma(1.1F, 1.1F, -1.21F), 1.1F * 1.1F - 1.21F));
  QVERIFY(!sameNumber(0.0F, -0.0F));
  QVERIFY(!sameNumber(0.0F, std::numeric_limits<float>::quiet_NaN()));
  QVERIFY(!sameNumber(std::numeric_limits<float>::quiet_NaN(), 0.0F));
}

QUANTSCOPE_TEST(ElementLoopsTest)
#include "test_element_loops.moc"
