#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>

#include "calibration/sources/element_conversion.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;

class ElementConversionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void kinds();
  void floatsAreRoundedOnce_data();
  void floatsAreRoundedOnce();
  void floatsThatWouldBecomeInfinite();
  void integersThatFit();
  void otherKindsAreRefused();
};

namespace {

const Place kPlace{.file = "data.npz", .node = {}, .value = "x"};

Tensor converted(double value, ElementType type) {
  return convertElements(Tensor::scalar(value), type, kPlace);
}

}  // namespace

void ElementConversionTest::kinds() {
  QVERIFY(sameKind(ElementType::Float16, ElementType::Float64));
  QVERIFY(sameKind(ElementType::Int64, ElementType::UInt8));
  QVERIFY(sameKind(ElementType::Bool, ElementType::Bool));
  QVERIFY(!sameKind(ElementType::Int8, ElementType::Float32));
  QVERIFY(!sameKind(ElementType::Bool, ElementType::UInt8));
  QVERIFY(!sameKind(ElementType::Float32, ElementType::Bool));
}

void ElementConversionTest::floatsAreRoundedOnce_data() {
  QTest::addColumn<double>("value");
  QTest::addColumn<int>("float16");
  QTest::addColumn<int>("bfloat16");
  const double tiny = std::ldexp(1.0, -40);
  // 1 + 2^−11 lies halfway between two float16, 1 + 2^−8 between two bfloat16; what is added to
  // them is lost on the way through float32.
  QTest::newRow("tie of float16") << 1 + std::ldexp(1.0, -11) << 0x3C00 << 0x3F80;
  QTest::newRow("just above") << 1 + std::ldexp(1.0, -11) + tiny << 0x3C01 << 0x3F80;
  QTest::newRow("odd tie") << 1 + 3 * std::ldexp(1.0, -11) << 0x3C02 << 0x3F80;
  QTest::newRow("just below") << 1 + 3 * std::ldexp(1.0, -11) - tiny << 0x3C01 << 0x3F80;
  QTest::newRow("tie of bfloat16") << 1 + std::ldexp(1.0, -8) << 0x3C04 << 0x3F80;
  QTest::newRow("just above it") << 1 + std::ldexp(1.0, -8) + tiny << 0x3C04 << 0x3F81;
  QTest::newRow("negative") << -(1 + std::ldexp(1.0, -11) + tiny) << 0xBC01 << 0xBF80;
  QTest::newRow("too small") << 1e-300 << 0 << 0;
}

void ElementConversionTest::floatsAreRoundedOnce() {
  QFETCH(double, value);
  QFETCH(int, float16);
  QFETCH(int, bfloat16);
  QCOMPARE(int{converted(value, ElementType::Float16).values<Float16>()[0].bits}, float16);
  QCOMPARE(int{converted(value, ElementType::BFloat16).values<BFloat16>()[0].bits}, bfloat16);
  const float single = converted(value, ElementType::Float32).values<float>()[0];
  QCOMPARE(std::bit_cast<std::uint32_t>(single),
           std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

void ElementConversionTest::floatsThatWouldBecomeInfinite() {
  QCOMPARE(int{converted(65519, ElementType::Float16).values<Float16>()[0].bits}, 0x7BFF);
  VERIFY_ERROR(converted(65520, ElementType::Float16), "65520 does not fit");
  VERIFY_ERROR(converted(1e39, ElementType::Float32), "type float32 (data.npz, value x): scale");
  VERIFY_ERROR(converted(-1e300, ElementType::BFloat16), "bfloat16");
}

void ElementConversionTest::integersThatFit() {
  const Tensor bytes = Tensor::of<std::uint8_t>({3}, {0, 127, 255});
  QVERIFY(identical(convertElements(bytes, ElementType::Int64, kPlace),
                    Tensor::of<std::int64_t>({3}, {0, 127, 255})));
  VERIFY_ERROR(convertElements(bytes, ElementType::Int8, kPlace), "255 does not fit");
  const Tensor negative = Tensor::of<std::int64_t>({1}, {-1});
  VERIFY_ERROR(convertElements(negative, ElementType::UInt64, kPlace), "-1 does not fit");
}

void ElementConversionTest::otherKindsAreRefused() {
  VERIFY_ERROR(convertElements(Tensor::scalar(true), ElementType::Int32, kPlace),
               "bool elements where the model wants int32");
  VERIFY_ERROR(converted(1, ElementType::Int32), "float64 elements");
}

QUANTSCOPE_TEST(ElementConversionTest)
#include "test_element_conversion.moc"
