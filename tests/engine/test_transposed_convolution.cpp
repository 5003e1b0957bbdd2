#include <QtTest>
#include <cmath>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Expected {
  Shape shape;
  std::vector<double> values;
  std::vector<double> magnitudes;  // Σ |x · w|
};

/// Two spatial axes; pads are [top, left, bottom, right].
struct Case {
  const char* name;
  const char* x;
  const char* weights;
  const char* strides;
  const char* dilations;
  const char* pads;
  const char* outputPadding;
  std::int64_t groups = 1;
};

const Case kCases[] = {
    {"plain", "1,3,4,5", "3,4,3,3", "1,1", "1,1", "0,0,0,0", "0,0"},
    {"batch", "3,3,4,5", "3,4,3,3", "1,1", "1,1", "0,0,0,0", "0,0"},
    {"stride", "1,4,4,5", "4,6,3,3", "2,2", "1,1", "1,1,1,1", "0,0"},
    {"stride beyond the kernel", "1,4,4,5", "4,6,2,2", "3,4", "1,1", "0,0,0,0", "0,0"},
    {"output padding", "1,4,4,5", "4,6,3,3", "2,2", "1,1", "1,1,1,1", "1,1"},
    {"output padding without pads", "1,4,4,5", "4,6,3,3", "3,3", "1,1", "0,0,0,0", "2,1"},
    {"output padding beyond the stride", "1,2,4,5", "2,3,3,3", "1,1", "2,3", "0,0,0,0", "1,2"},
    {"asymmetric pads", "1,4,4,5", "4,6,3,3", "2,3", "1,1", "1,0,0,2", "0,0"},
    {"dilation", "1,4,4,5", "4,6,2,3", "1,2", "3,2", "1,1,1,1", "0,0"},
    {"groups", "1,6,4,5", "6,2,3,3", "2,2", "1,1", "1,1,1,1", "0,0", 3},
    {"depthwise", "2,16,4,5", "16,1,3,3", "1,2", "1,1", "1,1,1,1", "0,0", 16},
    {"strides along one axis", "2,5,6,9", "5,7,2,3", "1,3", "1,1", "0,2,1,0", "0,1"},
    {"wide windows", "2,20,5,19", "20,24,5,4", "2,2", "2,1", "3,1,2,2", "1,0"},
    {"tall image", "1,8,33,1", "8,4,5,1", "2,1", "1,1", "2,0,2,0", "0,0"},
    {"flat image", "1,8,1,33", "8,4,1,5", "1,2", "1,1", "0,2,0,2", "0,0"},
};

Expected convolveTransposed(const Case& row, const Tensor& x, const Tensor& w, const Tensor& b) {
  const auto strides = numbers(row.strides);
  const auto dilations = numbers(row.dilations);
  const auto pads = numbers(row.pads);
  const auto extra = numbers(row.outputPadding);
  const Shape& in = x.shape();
  const Shape& kernel = w.shape();
  Shape out{in[0], kernel[1] * row.groups, 0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    out[i + 2] = strides[i] * (in[i + 2] - 1) + extra[i] + dilations[i] * (kernel[i + 2] - 1) + 1 -
                 pads[i] - pads[i + 2];
  }
  Expected expected{out, {}, {}};
  const auto count = static_cast<std::size_t>(out.elementCount());
  expected.values.resize(count);
  expected.magnitudes.resize(count);
  const std::vector<double> source = elements(x);
  const std::vector<double> weights = elements(w);
  const std::vector<double> bias = elements(b);
  for (std::size_t i = 0; i < count; ++i) {
    const auto filter = static_cast<std::int64_t>(i) / (out[2] * out[3]) % out[1];
    expected.values[i] = bias[static_cast<std::size_t>(filter)];
    expected.magnitudes[i] = std::abs(expected.values[i]);
  }
  // Every input element paints its kernel, element by element of the weights.
  const std::int64_t channels = in[1] / row.groups;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t column = place % in[3];
    const std::int64_t line = place / in[3] % in[2];
    const std::int64_t channel = place / (in[3] * in[2]) % in[1];
    const std::int64_t image = place / (in[3] * in[2] * in[1]);
    for (std::int64_t k = 0; k < kernel[1] * kernel[2] * kernel[3]; ++k) {
      const std::int64_t filter = channel / channels * kernel[1] + k / (kernel[2] * kernel[3]);
      const std::int64_t h = line * strides[0] - pads[0] + k / kernel[3] % kernel[2] * dilations[0];
      const std::int64_t v = column * strides[1] - pads[1] + k % kernel[3] * dilations[1];
      if (h < 0 || v < 0 || h >= out[2] || v >= out[3]) continue;
      const double product =
          source[i] *
          weights[static_cast<std::size_t>(channel * kernel[1] * kernel[2] * kernel[3] + k)];
      const auto at =
          static_cast<std::size_t>(((image * out[1] + filter) * out[2] + h) * out[3] + v);
      expected.values[at] += product;
      expected.magnitudes[at] += std::abs(product);
    }
  }
  return expected;
}

std::string attributes(const Case& row) {
  const auto list = [](const char* name, const char* values) {
    return std::string(" ") + name + "=[" + values + "]";
  };
  return list("strides", row.strides) + list("dilations", row.dilations) + list("pads", row.pads) +
         list("output_padding", row.outputPadding) + " group=" + std::to_string(row.groups);
}

Tensor toDouble(const Tensor& tensor) {
  return fromFloat32(tensor, ElementType::Float64);
}

}  // namespace

class TransposedConvolutionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesItsDefinition_data();
  void matchesItsDefinition();
  void padsFollowFromTheShape_data();
  void padsFollowFromTheShape();
  void everyWeightTensorCounts();
  void badShapesAreErrors();
};

void TransposedConvolutionTest::matchesItsDefinition_data() {
  QTest::addColumn<int>("index");
  for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i) {
    QTest::newRow(kCases[i].name) << i;
  }
}

void TransposedConvolutionTest::matchesItsDefinition() {
  QFETCH(int, index);
  const Case& row = kCases[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const Tensor b = randomTensor(Shape{w.shape()[1] * row.groups}, 3);
  const OperatorRunner runner("y = ConvTranspose(x, w, b)" + attributes(row));
  const Expected expected = convolveTransposed(row, x, w, b);
  // At most all of the weights of a filter meet in one output; see test_convolution.cpp.
  std::vector<double> bounds = expected.magnitudes;
  for (double& bound : bounds) {
    bound *= 2 * static_cast<double>(w.elementCount() + 1) * 0x1p-24;
  }
  const Tensor actual = runner({x, w, b});
  const std::string found = difference(actual, expected.shape, expected.values, bounds);
  QVERIFY2(found.empty(), found.c_str());
  QVERIFY(identical(actual, runner({toLayout(x, Layout::ChannelsLast), w, b})));

  const Tensor precise = runner({toDouble(x), toDouble(w), toDouble(b)});
  const std::string inDouble = difference(precise, expected.shape, expected.values, {1e-12});
  QVERIFY2(inDouble.empty(), inDouble.c_str());
}

void TransposedConvolutionTest::padsFollowFromTheShape_data() {
  QTest::addColumn<QString>("derived");
  QTest::addColumn<QString>("explicitly");
  // From 5 by stride 2 and kernel 3: 11 elements without pads.
  QTest::newRow("shape: one pad too many stands in front") << "output_shape=[10,10] strides=[2,2]"
                                                           << "pads=[1,1,0,0] strides=[2,2]";
  QTest::newRow("shape with all axes") << "output_shape=[1,3,10,10] strides=[2,2]"
                                       << "pads=[1,1,0,0] strides=[2,2]";
  QTest::newRow("shape, upper: behind")
      << "output_shape=[10,10] strides=[2,2] auto_pad=\"SAME_UPPER\""
      << "pads=[0,0,1,1] strides=[2,2]";
  QTest::newRow("upper") << "strides=[2,2] auto_pad=\"SAME_UPPER\""
                         << "pads=[0,0,1,1] strides=[2,2]";
  QTest::newRow("lower") << "strides=[2,2] auto_pad=\"SAME_LOWER\""
                         << "pads=[1,1,0,0] strides=[2,2]";
  QTest::newRow("valid") << "strides=[2,2] auto_pad=\"VALID\""
                         << "strides=[2,2]";
}

void TransposedConvolutionTest::padsFollowFromTheShape() {
  QFETCH(QString, derived);
  QFETCH(QString, explicitly);
  const Tensor x = randomTensor(Shape{1, 2, 5, 5}, 1);
  const Tensor w = randomTensor(Shape{2, 3, 3, 3}, 2);
  const OperatorRunner first("y = ConvTranspose(x, w) " + derived.toStdString());
  const OperatorRunner second("y = ConvTranspose(x, w) " + explicitly.toStdString());
  QVERIFY(identical(first({x, w}), second({x, w})));
}

void TransposedConvolutionTest::everyWeightTensorCounts() {
  const Tensor x = randomTensor(Shape{1, 4, 6, 6}, 1);
  const OperatorRunner runner("y = ConvTranspose(x, w) strides=[2,2]");
  for (unsigned i = 0; i < 12; ++i) {
    const Tensor w = randomTensor(Shape{4, 3, 3, 3}, i % 7);
    const OperatorRunner fresh("y = ConvTranspose(x, w) strides=[2,2]");
    QVERIFY(identical(runner({x, w}), fresh({x, w})));
  }
}

void TransposedConvolutionTest::badShapesAreErrors() {
  const OperatorRunner runner("y = ConvTranspose(x, w)");
  VERIFY_ERROR(runner({randomTensor(Shape{1, 3, 4, 4}, 1), randomTensor(Shape{2, 3, 3, 3}, 2)}),
               "does not fit weights");
  const OperatorRunner padded("y = ConvTranspose(x, w) pads=[9,9,9,9]");
  VERIFY_ERROR(padded({randomTensor(Shape{1, 3, 4, 4}, 1), randomTensor(Shape{3, 2, 3, 3}, 2)}),
               "would make an axis");
}

QUANTSCOPE_TEST(TransposedConvolutionTest)
#include "test_transposed_convolution.moc"
