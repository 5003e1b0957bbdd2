#include <QtTest>

#include "engine/operator_case.h"
#include "engine/operator_runner.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct LayoutCase {
  const char* name;
  const char* node;
  const char* inputs;
  /// What the first output is when every input that can be is channels-last.
  bool keepsChannelsLast;
  int opset = 17;
};

const LayoutCase kLayoutCases[] = {
    {"unary", "y = Relu(x)", "float[2, 3, 4, 5]", true},
    {"kernel", "y = Tanh(x)", "float[2, 3, 4, 5]", true},
    {"cast", "y = Cast(x) to=6", "float[2, 3, 4, 5]", true},
    {"clip", "y = Clip(x, x1)", "float[2, 3, 4, 5]; float[]{0}", true},
    {"identity", "y = Identity(x)", "float[2, 3, 4, 5]", true},
    {"dropout", "y, m = Dropout(x)", "float[2, 3, 4, 5]", true},
    {"three axes", "y = Neg(x)", "float[2, 3, 4]", true},
    {"same shape", "y = Add(x, x1)", "float[2, 3, 4, 5]; float[2, 3, 4, 5]", true},
    {"scalar", "y = Mul(x, x1)", "float[2, 3, 4, 5]; float[]{3}", true},
    {"scalar on the left", "y = Sub(x, x1)", "float[1]{3}; float[2, 3, 4, 5]", true},
    {"per channel", "y = Mul(x, x1)", "float[2, 3, 4, 5]; float[3, 1, 1]", true},
    {"per channel, four axes", "y = Div(x, x1)", "float[2, 3, 4, 5]; float[1, 3, 1, 1]", true},
    {"per channel and item", "y = Mul(x1, x)", "float[2, 3, 1, 1]; float[2, 3, 4, 5]", true},
    {"per row", "y = Add(x, x1)", "float[2, 3, 4, 5]; float[5]", true},
    {"per position", "y = Add(x, x1)", "float[2, 3, 4, 5]; float[2, 1, 4, 5]", true},
    {"one item for all", "y = Add(x, x1)", "float[2, 3, 4, 5]; float[3, 4, 5]", true},
    {"both stretch", "y = Add(x, x1)", "float[2, 3, 4, 1]; float[2, 3, 1, 5]", false},
    {"comparison", "y = Less(x, x1)", "float[2, 3, 4, 5]; float[2, 3, 4, 5]", true},
    {"sum of three", "y = Sum(x, x1, x2)", "float[2, 3, 4, 5]; float[3, 1, 1]; float[2, 3, 4, 5]",
     true},
    {"slope per channel", "y = PRelu(x, x1)", "float[2, 3, 4, 5]; float[3, 1, 1]", true},
    {"where", "y = Where(x, x1, x2)", "bool[2, 3, 4, 5]; float[2, 3, 4, 5]; float[]", true},
    {"power", "y = Pow(x, x1)", "float[2, 3, 4, 5]; float[]{2}", true},
    {"image scaler", "y = ImageScaler(x) scale=2.0 bias=[1.0, 2.0, 3.0]", "float[2, 3, 4, 5]", true,
     7},
    {"crop", "y = Crop(x) border=[1, 0, 2, 1]", "float[2, 3, 4, 5]", true, 7},
    {"concat of channels", "y = Concat(x, x1) axis=1", "float[2, 3, 4, 5]; float[2, 2, 4, 5]",
     true},
    {"concat of rows", "y = Concat(x, x1) axis=2", "float[2, 3, 4, 5]; float[2, 3, 1, 5]", true},
    {"concat of items", "y = Concat(x, x1) axis=0", "float[2, 3, 4, 5]; float[1, 3, 4, 5]", true},
    {"split of channels", "y, z = Split(x) axis=1", "float[2, 4, 4, 5]", true},
    {"slice of channels", "y = Slice(x, x1, x2, x3, x4)",
     "float[2, 5, 4, 5]; int64[1]{4}; int64[1]{-6}; int64[1]{1}; int64[1]{-2}", true},
    {"slice of columns", "y = Slice(x, x1, x2, x3)",
     "float[2, 3, 4, 5]; int64[2]{1, 0}; int64[2]{3, -1}; int64[2]{2, 3}", true},
    {"pad", "y = Pad(x, x1)", "float[2, 3, 4, 5]; int64[8]{0, 1, 2, 0, 0, 0, 1, 3}", true},
    {"reflecting pad", "y = Pad(x, x1) mode=\"reflect\"",
     "float[2, 3, 4, 5]; int64[8]{0, 1, 2, 0, 0, 2, 1, 3}", true},
    {"gather of channels", "y = Gather(x, x1) axis=1", "float[2, 3, 4, 5]; int64[4]{2, 0, -1, 1}",
     true},
    {"gather by a matrix", "y = Gather(x, x1) axis=1", "float[2, 3, 4, 5]; int64[2, 2]{2, 0, 1, 1}",
     false},
    {"depth to space", "y = DepthToSpace(x) blocksize=2", "float[2, 12, 3, 2]", true},
    {"depth to space, columns first", "y = DepthToSpace(x) blocksize=2 mode=\"CRD\"",
     "float[2, 12, 3, 2]", true},
    {"space to depth", "y = SpaceToDepth(x) blocksize=2", "float[2, 3, 4, 6]", true},
    {"mean over positions", "y = ReduceMean(x) axes=[2, 3]", "float[2, 3, 4, 5]", true},
    {"mean over positions, axes dropped", "y = ReduceMean(x) axes=[2, 3] keepdims=0",
     "float[2, 3, 4, 5]", false},
    {"mean over channels", "y = ReduceMean(x) axes=[1]", "float[2, 3, 4, 5]", true},
    {"mean over channels, axis dropped", "y = ReduceMean(x) axes=[1] keepdims=0",
     "float[2, 3, 4, 5]", false},
    {"mean over rows, axis dropped", "y = ReduceMean(x) axes=[2] keepdims=0", "float[2, 3, 4, 5]",
     false},
    {"mean of kept between reduced", "y = ReduceMean(x) axes=[0, 3]", "float[2, 3, 4, 5]", false},
    {"squeeze", "y = Squeeze(x, x1)", "float[2, 3, 1, 5]; int64[1]{2}", true},
    {"squeeze of the channels", "y = Squeeze(x, x1)", "float[2, 1, 4, 5]; int64[1]{1}", false},
    {"unsqueeze behind", "y = Unsqueeze(x, x1)", "float[2, 3, 4]; int64[1]{3}", true},
    {"unsqueeze before the channels", "y = Unsqueeze(x, x1)", "float[2, 3, 4]; int64[1]{1}", false},
    {"flatten", "y = Flatten(x)", "float[2, 3, 4, 5]", false},
    {"shape", "y = Shape(x)", "float[2, 3, 4, 5]", false},
};

Tensor channelsLast(const Tensor& tensor) {
  return tensor.defined() ? toLayout(tensor, Layout::ChannelsLast) : tensor;
}

}  // namespace

class LayoutsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultsDoNotDependOnTheLayout_data();
  void resultsDoNotDependOnTheLayout();
  void aTransposeToChannelsLastIsFree();
  void aTransposeFromChannelsLastIsFree();
  void transposesOfEitherLayout_data();
  void transposesOfEitherLayout();
};

void LayoutsTest::resultsDoNotDependOnTheLayout_data() {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < std::size(kLayoutCases); ++i) {
    QTest::newRow(kLayoutCases[i].name) << static_cast<int>(i);
  }
}

// Every choice of layouts for the inputs, each bit of `choice` for one of them. A kernel that asks
// for plain inputs gets them.
void LayoutsTest::resultsDoNotDependOnTheLayout() {
  QFETCH(int, row);
  const LayoutCase& tested = kLayoutCases[row];
  const OperatorRunner runner(tested.node, tested.opset);
  const std::vector<Tensor> inputs = tensorsFromText(tested.inputs);
  const std::vector<Tensor> expected = runner.run(inputs);
  const unsigned choices = 1U << inputs.size();
  for (unsigned choice = 0; choice < choices; ++choice) {
    std::vector<Tensor> arranged = inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (choice >> i & 1U && runner.takesAnyLayout()) arranged[i] = channelsLast(inputs[i]);
    }
    const std::vector<Tensor> outputs = runner.runAsIs(arranged);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      QCOMPARE(exactDifference(outputs[i], expected[i]), std::string());
    }
    if (choice == choices - 1) {
      QCOMPARE(outputs[0].layout() == Layout::ChannelsLast, tested.keepsChannelsLast);
    }
  }
}

void LayoutsTest::aTransposeToChannelsLastIsFree() {
  const Tensor x = channelsLast(randomTensor({2, 3, 4, 5}, 1));
  const Tensor y = OperatorRunner("y = Transpose(x) perm=[0, 2, 3, 1]").runAsIs({x})[0];
  QVERIFY(y.sharesElementsWith(x));
  QVERIFY(y.layout() == Layout::Plain);
  QVERIFY((y.shape() == Shape{2, 4, 5, 3}));
}

void LayoutsTest::aTransposeFromChannelsLastIsFree() {
  const Tensor x = randomTensor({2, 4, 5, 3}, 1);
  const Tensor y = OperatorRunner("y = Transpose(x) perm=[0, 3, 1, 2]").runAsIs({x})[0];
  QVERIFY(y.sharesElementsWith(x));
  QVERIFY(y.layout() == Layout::ChannelsLast);
  QVERIFY((y.shape() == Shape{2, 3, 4, 5}));
}

void LayoutsTest::transposesOfEitherLayout_data() {
  QTest::addColumn<QString>("shape");
  QTest::addColumn<QString>("permutation");
  for (const char* permutation :
       {"0,1,2,3", "0,1,3,2", "0,2,1,3", "0,2,3,1", "0,3,1,2", "0,3,2,1", "1,0,2,3", "1,2,3,0",
        "2,3,0,1", "3,2,1,0", "3,0,1,2", "2,0,3,1"}) {
    for (const char* shape : {"2,3,4,5", "1,17,33,2", "2,1,20,3", "3,40,1,1", "0,3,4,5"}) {
      QTest::addRow("%s by %s", shape, permutation) << QString(shape) << QString(permutation);
    }
  }
  QTest::newRow("two axes") << "37,50"
                            << "1,0";
  QTest::newRow("six axes") << "2,3,2,2,3,2"
                            << "0,1,4,2,5,3";
}

// y[i(p0), i(p1), …] = x[i0, i1, …], spelled out by strides.
void LayoutsTest::transposesOfEitherLayout() {
  QFETCH(QString, shape);
  QFETCH(QString, permutation);
  const Tensor x = randomTensor(shapeOf(shape.toStdString()), 3);
  const std::vector<std::int64_t> axes = numbers(permutation.toStdString());
  Shape turned = x.shape();
  Shape strides = x.shape();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    turned[i] = x.shape()[static_cast<std::size_t>(axes[i])];
    strides[i] = rowMajorStrides(x.shape())[static_cast<std::size_t>(axes[i])];
  }
  std::vector<double> expected(x.elementCount());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t source = 0;
    for (std::size_t axis = axes.size(); axis-- > 0; rest /= turned[axis]) {
      source += rest % turned[axis] * strides[axis];
    }
    expected[i] = static_cast<double>(x.values<float>()[static_cast<std::size_t>(source)]);
  }
  const OperatorRunner transpose("y = Transpose(x) perm=[" + permutation.toStdString() + "]");
  QCOMPARE(difference(transpose({x}), turned, expected, {0}), std::string());
  QCOMPARE(difference(transpose({channelsLast(x)}), turned, expected, {0}), std::string());
}

QUANTSCOPE_TEST(LayoutsTest)
#include "test_layouts.moc"
