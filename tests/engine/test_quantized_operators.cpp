#include <QtTest>
#include <cmath>
#include <limits>
#include <random>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

template <class T>
Tensor randomCodes(const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  Tensor tensor(ElementTypeOf<T>::kType, shape);
  for (T& code : tensor.mutableValues<T>()) code = static_cast<T>(generator());
  return tensor;
}

std::vector<std::int64_t> codesOf(const Tensor& tensor) {
  std::vector<std::int64_t> result;
  for (const double value : elements(tensor)) result.push_back(static_cast<std::int64_t>(value));
  return result;
}

/// Half to even, as the formula of QLinear* has it.
std::int64_t requantized(std::int64_t sum, float factor, std::int64_t zero, std::int64_t low,
                         std::int64_t high) {
  const float scaled = static_cast<float>(sum) * factor;
  return std::clamp(static_cast<std::int64_t>(std::nearbyint(scaled)) + zero, low, high);
}

}  // namespace

class QuantizedOperatorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantizeRoundsAndSaturates_data();
  void quantizeRoundsAndSaturates();
  void quantizePerAxisAndBlock_data();
  void quantizePerAxisAndBlock();
  void everyCodeComesBack_data();
  void everyCodeComesBack();
  void dynamicRange_data();
  void dynamicRange();
  void integerMatMulIsExact_data();
  void integerMatMulIsExact();
  void longSumsAreExact();
  void integerConvolutionIsExact_data();
  void integerConvolutionIsExact();
  void requantizationByHand();
  void everyWeightTensorCounts();
  void badInputIsAnError();
};

void QuantizedOperatorsTest::quantizeRoundsAndSaturates_data() {
  QTest::addColumn<float>("x");
  QTest::addColumn<int>("signedCode");
  QTest::addColumn<int>("unsignedCode");
  // Scale 0.5; zero points 3 and 100.
  QTest::newRow("zero") << 0.0F << 3 << 100;
  QTest::newRow("tie to even below") << 0.25F << 3 << 100;
  QTest::newRow("tie to even above") << 0.75F << 5 << 102;
  QTest::newRow("negative tie") << -0.75F << 1 << 98;
  QTest::newRow("just above a tie") << std::nextafterf(0.25F, 1) << 4 << 101;
  QTest::newRow("highest") << 62.0F << 127 << 224;
  QTest::newRow("beyond") << 100.0F << 127 << 255;
  QTest::newRow("far beyond") << 1e30F << 127 << 255;
  QTest::newRow("far below") << -1e30F << -128 << 0;
  QTest::newRow("infinity") << kInfinity << 127 << 255;
  QTest::newRow("minus infinity") << -kInfinity << -128 << 0;
  QTest::newRow("not a number") << std::nanf("") << -128 << 0;
}

void QuantizedOperatorsTest::quantizeRoundsAndSaturates() {
  QFETCH(float, x);
  QFETCH(int, signedCode);
  QFETCH(int, unsignedCode);
  const OperatorRunner runner("y = QuantizeLinear(x, s, z)");
  // More than one vector of them, and a rest.
  Tensor values(ElementType::Float32, Shape{19});
  std::ranges::fill(values.mutableValues<float>(), x);
  const Tensor scale = Tensor::scalar(0.5F);
  for (const std::int64_t code : codesOf(runner({values, scale, Tensor::scalar(std::int8_t{3})}))) {
    QCOMPARE(code, signedCode);
  }
  const Tensor zero = Tensor::scalar(std::uint8_t{100});
  for (const std::int64_t code : codesOf(runner({values, scale, zero}))) {
    QCOMPARE(code, unsignedCode);
  }
}

void QuantizedOperatorsTest::quantizePerAxisAndBlock_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<QString>("scaleShape");
  QTest::addColumn<QVector<float>>("scales");
  QTest::addColumn<QVector<int>>("expected");
  using Floats = QVector<float>;
  using Codes = QVector<int>;
  // x = 60 everywhere, shape [2, 3, 2].
  QTest::newRow("tensor") << ""
                          << "" << Floats{2} << Codes(12, 30);
  QTest::newRow("axis 1 by default")
      << ""
      << "3" << Floats{1, 2, 3} << Codes{60, 60, 30, 30, 20, 20, 60, 60, 30, 30, 20, 20};
  QTest::newRow("last axis") << "axis=-1"
                             << "2" << Floats{1, 2}
                             << Codes{60, 30, 60, 30, 60, 30, 60, 30, 60, 30, 60, 30};
  QTest::newRow("first axis") << "axis=0"
                              << "2" << Floats{1, 2}
                              << Codes{60, 60, 60, 60, 60, 60, 30, 30, 30, 30, 30, 30};
  // Blocks of two along axis 1, the second one short.
  QTest::newRow("blocks") << "axis=1 block_size=2"
                          << "2,2,2" << Floats{1, 2, 3, 4, 5, 6, 10, 12}
                          << Codes{60, 30, 60, 30, 20, 15, 12, 10, 12, 10, 6, 5};
}

void QuantizedOperatorsTest::quantizePerAxisAndBlock() {
  QFETCH(QString, attributes);
  QFETCH(QString, scaleShape);
  QFETCH(QVector<float>, scales);
  QFETCH(QVector<int>, expected);
  Tensor x(ElementType::Float32, Shape{2, 3, 2});
  std::ranges::fill(x.mutableValues<float>(), 60.0F);
  const Tensor scale = Tensor::of<float>(shapeOf(scaleShape.toStdString()),
                                         {scales.data(), std::size_t(scales.size())});
  const OperatorRunner quantize("y = QuantizeLinear(x, s) " + attributes.toStdString(), 21);
  const OperatorRunner dequantize("y = DequantizeLinear(x, s) " + attributes.toStdString(), 21);
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const Tensor codes = quantize({toLayout(x, layout), scale});
    const std::string found =
        difference(codes, x.shape(), std::vector<double>(expected.begin(), expected.end()), {0});
    QVERIFY2(found.empty(), found.c_str());
    QVERIFY(identical(dequantize({toLayout(codes, layout), scale}), x));
  }
}

void QuantizedOperatorsTest::everyCodeComesBack_data() {
  QTest::addColumn<QString>("type");
  for (const char* type : {"int8", "uint8", "int16", "uint16"}) QTest::newRow(type) << type;
}

void QuantizedOperatorsTest::everyCodeComesBack() {
  QFETCH(QString, type);
  const OperatorRunner quantize("y = QuantizeLinear(x, s, z)", 21);
  const OperatorRunner dequantize("y = DequantizeLinear(x, s, z)", 21);
  const auto check = [&]<class T>(T zero) {
    std::vector<T> all;
    for (std::int32_t code = std::numeric_limits<T>::lowest();
         code <= std::numeric_limits<T>::max(); ++code) {
      all.push_back(static_cast<T>(code));
    }
    const Tensor codes =
        Tensor::of<T>(Shape{static_cast<std::int64_t>(all.size())}, std::span<const T>(all));
    const Tensor scale = Tensor::scalar(0.013F);
    const Tensor zeroPoint = Tensor::scalar(zero);
    const Tensor real = dequantize({codes, scale, zeroPoint});
    QVERIFY(identical(quantize({real, scale, zeroPoint}), codes));
  };
  if (type == "int8") check(std::int8_t{-7});
  if (type == "uint8") check(std::uint8_t{130});
  if (type == "int16") check(std::int16_t{-700});
  if (type == "uint16") check(std::uint16_t{40000});
}

void QuantizedOperatorsTest::dynamicRange_data() {
  QTest::addColumn<QVector<float>>("x");
  QTest::addColumn<float>("scale");
  QTest::addColumn<int>("zeroPoint");
  QTest::addColumn<QVector<int>>("codes");
  using Floats = QVector<float>;
  using Codes = QVector<int>;
  QTest::newRow("both signs") << Floats{-51, 0, 204} << 1.0F << 51 << Codes{0, 51, 255};
  QTest::newRow("widened to zero") << Floats{51, 255} << 1.0F << 0 << Codes{51, 255};
  QTest::newRow("negative") << Floats{-255, -51} << 1.0F << 255 << Codes{0, 204};
  QTest::newRow("nothing but zeros") << Floats{0, 0} << 1.0F << 0 << Codes{0, 0};
}

void QuantizedOperatorsTest::dynamicRange() {
  QFETCH(QVector<float>, x);
  QFETCH(float, scale);
  QFETCH(int, zeroPoint);
  QFETCH(QVector<int>, codes);
  const OperatorRunner runner("y, s, z = DynamicQuantizeLinear(x)");
  const auto outputs = runner.run(
      {Tensor::of<float>(Shape{x.size()}, {x.data(), static_cast<std::size_t>(x.size())})});
  QVERIFY(difference(outputs[0], {x.size()}, std::vector<double>(codes.begin(), codes.end()), {0})
              .empty());
  QVERIFY(identical(outputs[1], Tensor::scalar(scale)));
  QVERIFY(identical(outputs[2], Tensor::scalar(static_cast<std::uint8_t>(zeroPoint))));
}

void QuantizedOperatorsTest::integerMatMulIsExact_data() {
  QTest::addColumn<bool>("signedWeights");
  QTest::addColumn<bool>("perColumn");
  QTest::newRow("unsigned") << false << false;
  QTest::newRow("signed") << true << false;
  QTest::newRow("unsigned per column") << false << true;
  QTest::newRow("signed per column") << true << true;
}

void QuantizedOperatorsTest::integerMatMulIsExact() {
  QFETCH(bool, signedWeights);
  QFETCH(bool, perColumn);
  const Tensor a = randomCodes<std::uint8_t>({2, 19, 301}, 1);
  const Shape zeroShape = perColumn ? Shape{7} : Shape{};
  const Tensor b = signedWeights ? randomCodes<std::int8_t>({301, 7}, 2)
                                 : randomCodes<std::uint8_t>({301, 7}, 2);
  const Tensor zeroB = signedWeights ? randomCodes<std::int8_t>(zeroShape, 3)
                                     : randomCodes<std::uint8_t>(zeroShape, 3);
  const OperatorRunner runner("y = MatMulInteger(x, w, z, v)");
  const auto actual = codesOf(runner({a, b, Tensor::scalar(std::uint8_t{131}), zeroB}));
  const auto left = codesOf(a);
  const auto right = codesOf(b);
  const auto zeros = codesOf(zeroB);
  QCOMPARE(actual.size(), std::size_t{2 * 19 * 7});
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::size_t column = i % 7;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < 301; ++k) {
      sum +=
          (left[i / 7 * 301 + k] - 131) * (right[k * 7 + column] - zeros[perColumn ? column : 0]);
    }
    QCOMPARE(actual[i], sum);
  }
}

// 40,000 products of 255 · 255 exceed an int32 and wrap, as in ONNX Runtime.
void QuantizedOperatorsTest::longSumsAreExact() {
  Tensor a(ElementType::UInt8, {1, 40000});
  Tensor b(ElementType::UInt8, {40000, 1});
  std::ranges::fill(a.mutableValues<std::uint8_t>(), std::uint8_t{255});
  std::ranges::fill(b.mutableValues<std::uint8_t>(), std::uint8_t{255});
  const Tensor y = OperatorRunner("y = MatMulInteger(x, w)")({a, b});
  QCOMPARE(y.values<std::int32_t>()[0], static_cast<std::int32_t>(std::int64_t{40000} * 255 * 255));
}

void QuantizedOperatorsTest::integerConvolutionIsExact_data() {
  QTest::addColumn<int>("channels");
  QTest::addColumn<int>("filters");
  QTest::addColumn<int>("groups");
  QTest::newRow("dense") << 5 << 6 << 1;
  QTest::newRow("groups") << 6 << 4 << 2;
  QTest::newRow("depthwise") << 7 << 7 << 7;
}

// The same convolution in double, which is exact for integers of this size, on codes minus zero
// points: padding is the zero point, not the code 0.
void QuantizedOperatorsTest::integerConvolutionIsExact() {
  QFETCH(int, channels);
  QFETCH(int, filters);
  QFETCH(int, groups);
  const Tensor x = randomCodes<std::uint8_t>({2, channels, 8, 9}, 1);
  const Tensor w = randomCodes<std::int8_t>({filters, channels / groups, 3, 2}, 2);
  const Tensor zeroW = randomCodes<std::int8_t>({filters}, 3);
  const Tensor zeroX = Tensor::scalar(std::uint8_t{117});
  const auto centered = [](const Tensor& codes, const Tensor& zero) {
    const auto values = codesOf(codes);
    const auto zeros = codesOf(zero);
    Tensor result(ElementType::Float64, codes.shape());
    const std::size_t each = values.size() / zeros.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.mutableValues<double>()[i] = static_cast<double>(values[i] - zeros[i / each]);
    }
    return result;
  };
  const std::string attributes =
      " pads=[1,0,2,1] strides=[2,1] dilations=[1,2] group=" + std::to_string(groups);
  const OperatorRunner exact("y = Conv(x, w)" + attributes);
  const Tensor expected = exact({centered(x, zeroX), centered(w, zeroW)});
  const OperatorRunner runner("y = ConvInteger(x, w, z, v)" + attributes);
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const Tensor actual = runner({toLayout(x, layout), w, zeroX, zeroW});
    const std::string found = difference(actual, expected.shape(), elements(expected), {0});
    QVERIFY2(found.empty(), found.c_str());
  }

  // With the same sums, QLinearConv adds its bias and rounds.
  Tensor scales(ElementType::Float32, Shape{filters});
  Tensor bias(ElementType::Int32, Shape{filters});
  for (std::size_t i = 0; i < static_cast<std::size_t>(filters); ++i) {
    scales.mutableValues<float>()[i] = 0.01F * static_cast<float>(i + 1);
    bias.mutableValues<std::int32_t>()[i] = static_cast<std::int32_t>(i) * 100 - 250;
  }
  const OperatorRunner rounded("y = QLinearConv(x, s, z, w, t, v, u, q, b)" + attributes);
  const Tensor codes = rounded({x, Tensor::scalar(0.5F), zeroX, w, scales, zeroW,
                                Tensor::scalar(0.25F), Tensor::scalar(std::int8_t{-3}), bias});
  const auto sums = elements(expected);
  const auto actual = codesOf(codes);
  const auto positions = static_cast<std::size_t>(expected.shape().elementCount(2, 4));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t filter = i / positions % static_cast<std::size_t>(filters);
    const float factor = 0.5F * scales.values<float>()[filter] / 0.25F;
    const std::int64_t sum =
        static_cast<std::int64_t>(sums[i]) + bias.values<std::int32_t>()[filter];
    QCOMPARE(actual[i], requantized(sum, factor, -3, -128, 127));
  }
}

void QuantizedOperatorsTest::requantizationByHand() {
  const OperatorRunner runner("y = QLinearMatMul(x, s, z, w, t, v, u, q)");
  const Tensor a = Tensor::of<std::uint8_t>({1, 2}, {12, 9});             // 2, −1
  const Tensor b = Tensor::of<std::uint8_t>({2, 3}, {6, 8, 5, 4, 5, 7});  // 1 3 0 / −1 0 2
  // Sums 3, 6, −2; · 0.5 · 0.5 / 0.5 = 1.5 → 2, 3, −1.
  QVERIFY(identical(runner({a, Tensor::scalar(0.5F), Tensor::scalar(std::uint8_t{10}), b,
                            Tensor::scalar(0.5F), Tensor::scalar(std::uint8_t{5}),
                            Tensor::scalar(0.5F), Tensor::scalar(std::uint8_t{1})}),
                    Tensor::of<std::uint8_t>({1, 3}, {3, 4, 0})));
  // A scale per column.
  const Tensor scales = Tensor::of<float>({3}, {1, 2, 100});
  QVERIFY(identical(runner({a, Tensor::scalar(0.5F), Tensor::scalar(std::uint8_t{10}), b, scales,
                            Tensor::scalar(std::uint8_t{5}), Tensor::scalar(0.5F),
                            Tensor::scalar(std::uint8_t{1})}),
                    Tensor::of<std::uint8_t>({1, 3}, {4, 13, 0})));
}

void QuantizedOperatorsTest::everyWeightTensorCounts() {
  const OperatorRunner runner("y = MatMulInteger(x, w)");
  const Tensor a = randomCodes<std::uint8_t>({3, 20}, 1);
  for (unsigned i = 0; i < 12; ++i) {
    const Tensor b = randomCodes<std::int8_t>({20, 5}, 10 + i % 5);
    QVERIFY(identical(runner({a, b}), OperatorRunner("y = MatMulInteger(x, w)")({a, b})));
  }
}

void QuantizedOperatorsTest::badInputIsAnError() {
  const Tensor x = randomTensor({2, 3}, 1);
  const OperatorRunner quantize("y = QuantizeLinear(x, s, z)");
  const Tensor two = Tensor::of<float>({2}, {1, 1});
  VERIFY_ERROR(quantize({x, two}), "does not fit axis 1");
  VERIFY_ERROR(quantize({x, Tensor::scalar(1.0F), Tensor::of<std::int8_t>({2}, {1, 1})}),
               "does not fit a scale");
  VERIFY_ERROR(quantize({x, Tensor::scalar(1.0F), Tensor::scalar(1.0F)}), "zero point of type");
  VERIFY_ERROR(OperatorRunner("y = QuantizeLinear(x, s) output_dtype=18", 21), "element type 18");
  const OperatorRunner dequantize("y = DequantizeLinear(x, s, z)");
  const Tensor codes = randomCodes<std::int8_t>({2, 3}, 1);
  VERIFY_ERROR(dequantize({codes, Tensor::scalar(1.0F), Tensor::scalar(std::uint8_t{1})}),
               "differ in type");
  const OperatorRunner matMul("y = MatMulInteger(x, w, z, v)");
  VERIFY_ERROR(matMul({codes, codes}), "cannot be multiplied");
  VERIFY_ERROR(matMul({codes, randomCodes<std::int8_t>({3, 2}, 1), Tensor::scalar(1000)}),
               "no 8-bit code");
  VERIFY_ERROR(matMul({x, randomCodes<std::int8_t>({3, 2}, 1)}), "float32");
}

QUANTSCOPE_TEST(QuantizedOperatorsTest)
#include "test_quantized_operators.moc"
