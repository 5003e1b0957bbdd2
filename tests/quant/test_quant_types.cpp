#include <QtTest>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "quant/quant_params.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

QuantParams paramsOf(QuantType type, Convention convention = Convention::Onnx) {
  QuantParams params;
  params.type = type;
  params.qmin = lowestCode(type);
  params.qmax = highestCode(type);
  params.convention = convention;
  return params;
}

}  // namespace

class QuantTypesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesAndCodes_data();
  void namesAndCodes();
  void unknownNames();
  void kinds();
  void signs();
  void scaleOfARange_data();
  void scaleOfARange();
  void representable();
  void rangesThatAreNone();
};

void QuantTypesTest::namesAndCodes_data() {
  QTest::addColumn<int>("bits");
  QTest::addColumn<int>("levels");
  QTest::addColumn<int>("lowest");
  QTest::addColumn<int>("highest");
  QTest::newRow("fp16") << 16 << 65536 << 0 << 0;
  QTest::newRow("bf16") << 16 << 65536 << 0 << 0;
  QTest::newRow("fp8e4m3") << 8 << 256 << 0 << 0;
  QTest::newRow("fp8e5m2") << 8 << 256 << 0 << 0;
  QTest::newRow("int16") << 16 << 65536 << -32768 << 32767;
  QTest::newRow("uint16") << 16 << 65536 << 0 << 65535;
  QTest::newRow("int8") << 8 << 256 << -128 << 127;
  QTest::newRow("uint8") << 8 << 256 << 0 << 255;
  QTest::newRow("int4") << 4 << 16 << -8 << 7;
  QTest::newRow("uint4") << 4 << 16 << 0 << 15;
  QTest::newRow("int2") << 2 << 4 << -2 << 1;
  QTest::newRow("uint2") << 2 << 4 << 0 << 3;
  QTest::newRow("ternary") << 2 << 3 << -1 << 1;
  QTest::newRow("binary") << 1 << 2 << -1 << 1;
}

void QuantTypesTest::namesAndCodes() {
  QFETCH(int, bits);
  QFETCH(int, levels);
  QFETCH(int, lowest);
  QFETCH(int, highest);
  const std::optional<QuantType> type = quantTypeFromName(QTest::currentDataTag());
  QVERIFY(type && isQuantized(*type));
  QCOMPARE(QByteArray(name(*type).data()), QByteArray(QTest::currentDataTag()));
  QCOMPARE(bitWidth(*type), bits);
  QCOMPARE(levelCount(*type), levels);
  QCOMPARE(lowestCode(*type), lowest);
  QCOMPARE(highestCode(*type), highest);
}

void QuantTypesTest::unknownNames() {
  for (const char* name : {"", "int7", "FP16", "fp8", "int8 "}) QVERIFY(!quantTypeFromName(name));
  QVERIFY(quantTypeNames().starts_with("fp32, fp16, bf16"));
  QVERIFY(quantTypeNames().ends_with("ternary, binary"));
}

// Each type is float32, an integer, a float format or a code of signs, and only one of them.
void QuantTypesTest::kinds() {
  QVERIFY(!isQuantized(QuantType::Float32));
  for (int i = 0; i <= static_cast<int>(QuantType::Binary); ++i) {
    const auto type = static_cast<QuantType>(i);
    QCOMPARE(isInteger(type) + isFloatFormat(type) + isSignCode(type), isQuantized(type) ? 1 : 0);
    QCOMPARE(canBeAsymmetric(type), isInteger(type));
  }
  QVERIFY(isInteger(QuantType::Int16) && isInteger(QuantType::UInt2));
  QVERIFY(isFloatFormat(QuantType::Float16) && isFloatFormat(QuantType::Float8E5M2));
  QVERIFY(!hasScale(QuantType::Float16) && !hasScale(QuantType::BFloat16));
  QVERIFY(hasScale(QuantType::Float8E4M3) && hasScale(QuantType::Binary));
}

void QuantTypesTest::signs() {
  for (int i = 0; i <= static_cast<int>(QuantType::Binary); ++i) {
    const auto type = static_cast<QuantType>(i);
    for (const bool wantsSigned : {true, false}) {
      const QuantType other = withSign(type, wantsSigned);
      QCOMPARE(bitWidth(other), bitWidth(type));
      QCOMPARE(isInteger(other), isInteger(type));
      QVERIFY(isInteger(type) ? isSigned(other) == wantsSigned : other == type);
    }
    QCOMPARE(signedType(type), withSign(type, true));
  }
}

void QuantTypesTest::scaleOfARange_data() {
  QTest::addColumn<QString>("type");
  QTest::addColumn<float>("scale");
  QTest::addColumn<float>("threshold");
  QTest::newRow("fp8e4m3") << "fp8e4m3" << 896.0F / 448 << 0.0F;
  QTest::newRow("fp8e5m2") << "fp8e5m2" << 896.0F / 57344 << 0.0F;
  QTest::newRow("fp16") << "fp16" << 1.0F << 0.0F;
  QTest::newRow("bf16") << "bf16" << 1.0F << 0.0F;
  QTest::newRow("ternary") << "ternary" << 896.0F << 448.0F;
  QTest::newRow("binary") << "binary" << 896.0F << 0.0F;
  QTest::newRow("int8") << "int8" << 896.0F / 127 << 0.0F;
  QTest::newRow("int2") << "int2" << 896.0F << 0.0F;
}

void QuantTypesTest::scaleOfARange() {
  QFETCH(QString, type);
  QFETCH(float, scale);
  QFETCH(float, threshold);
  const QuantParams params = paramsOf(*quantTypeFromName(type.toStdString()));
  const Grid grid = gridFromRange({-896, 12, false}, params);
  QVERIFY(grid == (Grid{scale, 0, threshold}));
}

void QuantTypesTest::representable() {
  const auto check = [](QuantType type, const Grid& grid, double high, double unclipped) {
    const QuantParams params = paramsOf(type);
    QVERIFY(double{params.representable(grid).high} == high);
    QVERIFY(double{params.representable(grid).low} ==
            (isInteger(type) ? -high - grid.scale : -high));
    QVERIFY(double{params.unclipped(grid).high} == unclipped);
  };
  check(QuantType::Float8E4M3, {0.5F, 0, 0}, 224, 232);
  check(QuantType::Float8E5M2, {1, 0, 0}, 57344, 61440);
  check(QuantType::Float16, {}, 65504, 65520);
  check(QuantType::Ternary, {2, 0, 1}, 2, 3);
  check(QuantType::Int8, {0.5F, 0, 0}, 63.5, 63.75);
}

void QuantTypesTest::rangesThatAreNone() {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const QuantType type : {QuantType::Float16, QuantType::Float8E4M3, QuantType::Binary}) {
    const QuantParams params = paramsOf(type);
    QVERIFY_THROWS_EXCEPTION(Error, gridFromRange(Range{}, params));
    QVERIFY_THROWS_EXCEPTION(Error, gridFromRange({0, infinity, false}, params));
    QVERIFY_THROWS_EXCEPTION(Error, gridFromRange({2, 1, false}, params));
  }
  // All zeros: the floor of each convention.
  const Range zero{0, 0, false};
  using Limits = std::numeric_limits<float>;
  QVERIFY(gridFromRange(zero, paramsOf(QuantType::Float8E4M3)).scale == Limits::min());
  const QuantParams pytorch = paramsOf(QuantType::Float8E4M3, Convention::PyTorch);
  QVERIFY(gridFromRange(zero, pytorch).scale == Limits::epsilon());
}

QUANTSCOPE_TEST(QuantTypesTest)
#include "test_quant_types.moc"
