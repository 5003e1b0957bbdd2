#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "support/test_main.h"
#include "tensor/half.h"

using quantscope::BFloat16;
using quantscope::Float16;

class HalfTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFloat16ComesBack();
  void float16MatchesItsDefinition();
  void roundsToNearestEven_data();
  void roundsToNearestEven();
  void bfloat16RoundsToNearestEven();
  void arraysHaveTheSameBits();
};

void HalfTest::everyFloat16ComesBack() {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const Float16 half{static_cast<std::uint16_t>(code)};
    const float value = quantscope::toFloat(half);
    if (std::isnan(value)) {
      QVERIFY(std::isnan(quantscope::toFloat(quantscope::toFloat16(value))));
    } else {
      QCOMPARE(quantscope::toFloat16(value).bits, half.bits);
    }
  }
}

// value = (−1)^s · 2^(e−15) · (1 + m/1024), subnormals 2^−14 · m/1024.
void HalfTest::float16MatchesItsDefinition() {
  for (std::uint32_t code = 0; code < 0x7C00; ++code) {
    const int exponent = static_cast<int>(code >> 10);
    const int mantissa = static_cast<int>(code & 0x3FF);
    const double expected =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    const float value = quantscope::toFloat(Float16{static_cast<std::uint16_t>(code)});
    QVERIFY(static_cast<double>(value) == expected);
  }
}

void HalfTest::roundsToNearestEven_data() {
  QTest::addColumn<float>("value");
  QTest::addColumn<int>("bits");
  QTest::newRow("tie to even below") << 2049.0F << 0x6800;
  QTest::newRow("tie to even above") << 2051.0F << 0x6802;
  QTest::newRow("largest") << 65504.0F << 0x7BFF;
  QTest::newRow("just below overflow") << std::nextafterf(65520.0F, 0) << 0x7BFF;
  QTest::newRow("overflow") << 65520.0F << 0x7C00;
  QTest::newRow("minus infinity") << -std::numeric_limits<float>::infinity() << 0xFC00;
  QTest::newRow("minus zero") << -0.0F << 0x8000;
  QTest::newRow("smallest subnormal") << std::ldexp(1.0F, -24) << 0x0001;
  QTest::newRow("half of it ties to zero") << std::ldexp(1.0F, -25) << 0x0000;
  QTest::newRow("just above half of it") << std::nextafterf(std::ldexp(1.0F, -25), 1) << 0x0001;
  QTest::newRow("float denormal") << std::numeric_limits<float>::denorm_min() << 0x0000;
  QTest::newRow("subnormal rounds up to normal") << 6.1033e-5F << 0x0400;
}

void HalfTest::roundsToNearestEven() {
  QFETCH(float, value);
  QFETCH(int, bits);
  QCOMPARE(static_cast<int>(quantscope::toFloat16(value).bits), bits);
}

void HalfTest::bfloat16RoundsToNearestEven() {
  const auto bits = [](std::uint32_t floatBits) {
    return static_cast<int>(quantscope::toBFloat16(std::bit_cast<float>(floatBits)).bits);
  };
  QCOMPARE(bits(0x3F808000U), 0x3F80);  // tie, even below
  QCOMPARE(bits(0x3F818000U), 0x3F82);  // tie, even above
  QCOMPARE(bits(0x3F808001U), 0x3F81);
  QCOMPARE(bits(0x7F7FFFFFU), 0x7F80);  // overflows to infinity
  QCOMPARE(bits(0x80000001U), 0x8000);  // rounds to minus zero
  QVERIFY(std::isnan(quantscope::toFloat(quantscope::toBFloat16(std::nanf("")))));
}

// Every half, and floats around every half, the middle between it and the next included.
void HalfTest::arraysHaveTheSameBits() {
  std::vector<Float16> halves;
  std::vector<float> floats;
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    halves.push_back({static_cast<std::uint16_t>(code)});
    const auto bits = std::bit_cast<std::uint32_t>(quantscope::toFloat(halves.back()));
    for (const std::uint32_t offset : {0U, 1U, 0xFFFU, 0x1000U, 0x1001U, 0x1FFFU}) {
      floats.push_back(std::bit_cast<float>(bits + offset));
    }
  }
  std::vector<float> widened(halves.size());
  quantscope::toFloat(halves, widened);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    QCOMPARE(std::bit_cast<std::uint32_t>(widened[i]),
             std::bit_cast<std::uint32_t>(quantscope::toFloat(halves[i])));
  }
  std::vector<Float16> narrowed(floats.size());
  quantscope::toFloat16(floats, narrowed);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    QCOMPARE(narrowed[i].bits, quantscope::toFloat16(floats[i]).bits);
  }
  std::vector<float> rounded = floats;
  quantscope::roundToFloat16(rounded, rounded);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    QCOMPARE(std::bit_cast<std::uint32_t>(rounded[i]),
             std::bit_cast<std::uint32_t>(quantscope::toFloat(narrowed[i])));
  }
}

QUANTSCOPE_TEST(HalfTest)
#include "test_half.moc"
