#include <QtTest>
#include <cmath>

#include "engine/convolution_definition.h"
#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const ConvolutionCase kTransposedConvolutions[] = {
    {"plain", "1,3,4,5", "3,4,3,3", "1,1", "1,1", "0,0,0,0", 1, "0,0"},
    {"batch", "3,3,4,5", "3,4,3,3", "1,1", "1,1", "0,0,0,0", 1, "0,0"},
    {"stride", "1,4,4,5", "4,6,3,3", "2,2", "1,1", "1,1,1,1", 1, "0,0"},
    {"stride beyond the kernel", "1,4,4,5", "4,6,2,2", "3,4", "1,1", "0,0,0,0", 1, "0,0"},
    {"output padding", "1,4,4,5", "4,6,3,3", "2,2", "1,1", "1,1,1,1", 1, "1,1"},
    {"output padding without pads", "1,4,4,5", "4,6,3,3", "3,3", "1,1", "0,0,0,0", 1, "2,1"},
    {"output padding beyond the stride", "1,2,4,5", "2,3,3,3", "1,1", "2,3", "0,0,0,0", 1, "1,2"},
    {"asymmetric pads", "1,4,4,5", "4,6,3,3", "2,3", "1,1", "1,0,0,2", 1, "0,0"},
    {"dilation", "1,4,4,5", "4,6,2,3", "1,2", "3,2", "1,1,1,1", 1, "0,0"},
    {"groups", "1,6,4,5", "6,2,3,3", "2,2", "1,1", "1,1,1,1", 3, "0,0"},
    {"depthwise", "2,16,4,5", "16,1,3,3", "1,2", "1,1", "1,1,1,1", 16, "0,0"},
    {"strides along one axis", "2,5,6,9", "5,7,2,3", "1,3", "1,1", "0,2,1,0", 1, "0,1"},
    {"wide windows", "2,20,5,19", "20,24,5,4", "2,2", "2,1", "3,1,2,2", 1, "1,0"},
    {"tall image", "1,8,33,1", "8,4,5,1", "2,1", "1,1", "2,0,2,0", 1, "0,0"},
    {"flat image", "1,8,1,33", "8,4,1,5", "1,2", "1,1", "0,2,0,2", 1, "0,0"},
};

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
  addConvolutionCases(kTransposedConvolutions);
}

void TransposedConvolutionTest::matchesItsDefinition() {
  QFETCH(int, index);
  const ConvolutionCase& row = kTransposedConvolutions[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const Tensor b = randomTensor(Shape{w.shape()[1] * row.groups}, 3);
  const OperatorRunner runner("y = ConvTranspose(x, w, b)" + convolutionAttributes(row));
  const ConvolutionResult expected = convolveTransposed(row, x, w, elements(b));
  // At most all of the weights meet in one output.
  const std::vector<double> bounds =
      floatBounds(expected, static_cast<std::int64_t>(w.elementCount()));
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
