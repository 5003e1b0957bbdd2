#include <QtTest>
#include <algorithm>
#include <cmath>
#include <thread>

#include "engine/convolution_definition.h"
#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const ConvolutionCase kConvolutions[] = {
    {"pointwise", "1,8,6,5", "12,8,1,1", "1,1", "1,1", "0,0,0,0"},
    {"3x3 with pads", "1,3,9,7", "16,3,3,3", "1,1", "1,1", "1,1,1,1"},
    {"batch of three", "3,5,9,7", "4,5,3,3", "1,1", "1,1", "1,1,1,1"},
    {"stride 2", "2,4,9,8", "6,4,3,3", "2,2", "1,1", "1,1,1,1"},
    {"unequal strides", "1,4,9,8", "6,4,3,3", "2,1", "1,1", "1,1,1,1"},
    {"asymmetric pads", "1,4,9,8", "6,4,3,2", "1,1", "1,1", "2,0,1,1"},
    {"dilation", "1,4,11,12", "6,4,3,3", "1,1", "2,3", "2,2,2,2"},
    {"pads beyond the kernel", "1,4,5,5", "6,4,2,2", "1,1", "1,1", "3,3,3,3"},
    {"one channel", "1,1,12,12", "1,1,5,5", "1,1", "1,1", "2,2,2,2"},
    {"one filter", "1,16,6,6", "1,16,3,3", "1,1", "1,1", "1,1,1,1"},
    {"groups", "2,8,7,7", "12,4,3,3", "1,1", "1,1", "1,1,1,1", 2},
    {"groups of three", "1,12,7,7", "12,3,3,3", "1,1", "1,1", "1,1,1,1", 4},
    {"depthwise", "1,16,9,9", "16,1,3,3", "1,1", "1,1", "1,1,1,1", 16},
    {"depthwise of odd count", "2,19,9,9", "19,1,3,3", "2,2", "1,1", "0,0,1,1", 19},
    {"depthwise with multiplier", "1,6,9,9", "12,1,3,3", "1,1", "1,1", "1,1,1,1", 6},
    {"depthwise dilated", "1,16,9,9", "16,1,3,3", "1,1", "2,2", "2,2,2,2", 16},
    {"filter bank", "2,1,1,700", "5,1,1,150", "1,1", "1,2", "0,60,0,70"},
    {"one long filter", "2,1,700", "1,1,97", "2", "1", "30,0"},
    {"three channels", "2,3,11,13", "24,3,3,3", "2,2", "1,1", "0,1,1,0"},
    {"three channels, dilated", "1,3,14,15", "40,3,5,3", "3,1", "2,3", "4,1,2,5"},
    {"one filter on long lines", "2,5,6,37", "1,5,7,3", "1,1", "1,1", "3,1,3,1"},
    {"few filters on long lines", "2,6,9,50", "8,6,3,3", "2,1", "2,2", "0,3,1,2"},
    {"few filters on lines of three pieces", "1,3,9,261", "8,3,3,3", "2,1", "1,1", "0,1,1,0"},
    {"seven wide filters", "1,8,5,70", "7,8,3,39", "1,1", "1,1", "1,19,1,19"},
    {"column of single places", "2,5,31,1", "7,5,4,1", "2,1", "1,1", "1,0,2,0"},
    {"column with a wide kernel", "1,5,31,1", "7,5,4,3", "2,1", "1,1", "1,1,2,1"},
    {"signal", "2,5,31", "7,5,4", "2", "1", "1,2"},
    {"signal, depthwise", "2,8,31", "8,1,5", "1", "1", "2,2", 8},
    {"volume", "1,3,5,6,7", "4,3,2,3,2", "1,2,1", "1,1,1", "1,1,0,0,1,1"},
    {"four spatial axes", "1,2,3,4,3,4", "3,2,2,2,2,2", "1,2,1,1", "1,1,1,1", "0,1,0,0,1,0,0,0"},
    {"rows of their own", "1,24,60,40", "32,24,3,5", "1,1", "1,1", "1,2,1,2"},
    {"rows that move by two", "1,24,91,70", "32,24,5,3", "2,1", "1,2", "3,2,1,2"},
    {"rows, pads beyond the kernel", "1,48,40,40", "32,48,2,2", "1,1", "1,1", "5,3,4,3"},
    {"rows, depthwise", "1,96,50,40", "96,1,5,5", "1,1", "1,1", "2,2,2,2", 96},
    {"rows of a signal", "1,64,900", "64,64,3", "1", "1", "1,1"},
    {"rows of a column", "1,64,900,1", "64,64,3,1", "1,1", "1,1", "1,0,1,0"},
    {"long rows", "2,5,9,101", "17,5,3,3", "1,1", "1,1", "1,1,1,1"},
    {"long rows of colours", "2,3,9,203", "24,3,5,3", "2,2", "2,1", "0,0,0,0"},
    {"long rows, windows in the pads", "1,4,2,97", "40,4,2,3", "1,1", "1,1", "3,9,3,0"},
    {"single places in parts", "2,40,70,30", "50,40,1,1", "1,1", "1,1", "0,0,0,0"},
    {"single places of a signal", "2,20,31", "35,20,1", "1", "1", "0,0"},
    {"single places of a volume", "2,20,5,3,4", "32,20,1,1,1", "1,1,1", "1,1,1", "0,0,0,0,0,0"},
    {"single places that move", "1,20,9,8", "32,20,1,1", "2,3", "1,1", "0,0,0,0"},
    {"few places of many weights", "2,136,6,9", "224,136,3,3", "1,1", "1,1", "1,1,1,1"},
    {"one place", "2,64,7,7", "96,64,7,7", "1,1", "1,1", "0,0,0,0"},
    {"few places in the pads", "1,136,13,5", "224,136,3,3", "2,1", "2,1", "5,4,6,0"},
    {"few places that move", "2,520,9,7", "512,520,1,1", "2,3", "1,1", "0,0,0,0"},
    {"filters of their own", "1,64,9,9", "192,64,3,3", "1,1", "1,1", "1,1,1,1"},
    {"images of their own", "3,32,20,20", "48,32,3,5", "1,1", "1,1", "1,2,1,2"},
    {"tiles of two by two", "2,24,19,16", "32,24,3,3", "1,1", "1,1", "1,1,1,1"},
    {"tiles in several parts", "1,20,34,41", "80,20,3,3", "1,1", "1,1", "0,0,0,0"},
    {"tiles in the pads", "1,40,12,9", "32,40,3,3", "1,1", "1,1", "5,0,2,7"},
    {"a line of its own", "1,32,1,90", "32,32,3,3", "1,1", "1,1", "1,1,1,1"},
    {"tiles of filters", "1,150,15,13", "224,150,3,3", "1,1", "1,1", "1,1,1,1"},
    {"volume in groups", "1,4,5,6,4", "4,2,2,2,2", "1,1,1", "1,1,1", "0,0,0,0,0,0", 2},
};

std::vector<double> bounds(const ConvolutionResult& expected, const Tensor& w) {
  return floatBounds(expected, static_cast<std::int64_t>(w.elementCount()) / w.shape()[0]);
}

}  // namespace

class ConvolutionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesItsDefinition_data();
  void matchesItsDefinition();
  void matchesItsDefinitionInDouble_data() { matchesItsDefinition_data(); }
  void matchesItsDefinitionInDouble();
  void layoutsGiveTheSameBits_data() { matchesItsDefinition_data(); }
  void layoutsGiveTheSameBits();
  void batchesGiveTheBitsOfSingleImages_data() { matchesItsDefinition_data(); }
  void batchesGiveTheBitsOfSingleImages();
  void autoPadEqualsExplicitPads_data();
  void autoPadEqualsExplicitPads();
  void oddNumbersStayWhereTheyBelong_data();
  void oddNumbersStayWhereTheyBelong();
  void everyWeightTensorCounts();
  void threadsShareOneKernel();
  void lateBiasIsTaken();
  void badShapesAreErrors_data();
  void badShapesAreErrors();
};

void ConvolutionTest::matchesItsDefinition_data() {
  addConvolutionCases(kConvolutions);
}

void ConvolutionTest::matchesItsDefinition() {
  QFETCH(int, index);
  const ConvolutionCase& row = kConvolutions[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const Tensor b = randomTensor(Shape{w.shape()[0]}, 3);
  const OperatorRunner plain("y = Conv(x, w)" + convolutionAttributes(row));
  const ConvolutionResult expected = convolve(row, x, w, {});
  const std::string without =
      difference(plain({x, w}), expected.shape, expected.values, bounds(expected, w));
  QVERIFY2(without.empty(), without.c_str());

  const OperatorRunner biased("y = Conv(x, w, b)" + convolutionAttributes(row));
  const ConvolutionResult shifted = convolve(row, x, w, elements(b));
  const std::string with =
      difference(biased({x, w, b}), shifted.shape, shifted.values, bounds(shifted, w));
  QVERIFY2(with.empty(), with.c_str());
}

void ConvolutionTest::matchesItsDefinitionInDouble() {
  QFETCH(int, index);
  const ConvolutionCase& row = kConvolutions[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const Tensor b = randomTensor(Shape{w.shape()[0]}, 3);
  const OperatorRunner runner("y = Conv(x, w, b)" + convolutionAttributes(row));
  const Tensor actual =
      runner({fromFloat32(x, ElementType::Float64), fromFloat32(w, ElementType::Float64),
              fromFloat32(b, ElementType::Float64)});
  const ConvolutionResult expected = convolve(row, x, w, elements(b));
  // The products are exact in double; sums of a few hundred of them are off by far less than this.
  const std::string found = difference(actual, expected.shape, expected.values, {1e-12});
  QVERIFY2(found.empty(), found.c_str());
}

void ConvolutionTest::layoutsGiveTheSameBits() {
  QFETCH(int, index);
  const ConvolutionCase& row = kConvolutions[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const OperatorRunner runner("y = Conv(x, w)" + convolutionAttributes(row));
  QVERIFY(identical(runner({x, w}), runner({toLayout(x, Layout::ChannelsLast), w})));
}

void ConvolutionTest::batchesGiveTheBitsOfSingleImages() {
  QFETCH(int, index);
  const ConvolutionCase& row = kConvolutions[index];
  const Tensor image = randomTensor(shapeOf(row.x), 1);
  Shape shape = image.shape();
  const std::int64_t copies = 5;
  shape[0] *= copies;
  Tensor batch(ElementType::Float32, shape);
  for (std::size_t i = 0; i < batch.elementCount(); ++i) {
    batch.mutableValues<float>()[i] = image.values<float>()[i % image.elementCount()];
  }
  const Tensor w = randomTensor(shapeOf(row.weights), 2);
  const OperatorRunner runner("y = Conv(x, w)" + convolutionAttributes(row));
  const Tensor single = runner({image, w});
  const Tensor many = runner({batch, w});
  for (std::size_t i = 0; i < many.elementCount(); ++i) {
    const float expected = single.values<float>()[i % single.elementCount()];
    QVERIFY(std::bit_cast<std::uint32_t>(many.values<float>()[i]) ==
            std::bit_cast<std::uint32_t>(expected));
  }
}

void ConvolutionTest::autoPadEqualsExplicitPads_data() {
  QTest::addColumn<QString>("automatic");
  QTest::addColumn<QString>("explicitly");
  QTest::addColumn<QString>("shape");
  // Along 8 with stride 2 and kernel 3, one pad is missing; along 9, two.
  QTest::newRow("upper") << "auto_pad=\"SAME_UPPER\" strides=[2,2]"
                         << "pads=[0,1,1,1] strides=[2,2]"
                         << "1,2,8,9";
  QTest::newRow("lower") << "auto_pad=\"SAME_LOWER\" strides=[2,2]"
                         << "pads=[1,1,0,1] strides=[2,2]"
                         << "1,2,8,9";
  QTest::newRow("valid") << "auto_pad=\"VALID\" pads=[1,1,1,1]"
                         << "pads=[0,0,0,0]"
                         << "1,2,8,9";
  QTest::newRow("upper, dilated") << "auto_pad=\"SAME_UPPER\" dilations=[2,2]"
                                  << "pads=[2,2,2,2] dilations=[2,2]"
                                  << "1,2,8,9";
  QTest::newRow("stride beyond the kernel") << "auto_pad=\"SAME_UPPER\" strides=[4,4]"
                                            << "pads=[0,0,0,0] strides=[4,4]"
                                            << "1,2,7,11";
}

void ConvolutionTest::autoPadEqualsExplicitPads() {
  QFETCH(QString, automatic);
  QFETCH(QString, explicitly);
  QFETCH(QString, shape);
  const Tensor x = randomTensor(shapeOf(shape.toStdString()), 1);
  const Tensor w = randomTensor(Shape{3, 2, 3, 3}, 2);
  const OperatorRunner first("y = Conv(x, w) " + automatic.toStdString());
  const OperatorRunner second("y = Conv(x, w) " + explicitly.toStdString());
  QVERIFY(identical(first({x, w}), second({x, w})));
}

void ConvolutionTest::oddNumbersStayWhereTheyBelong_data() {
  QTest::addColumn<float>("odd");
  QTest::newRow("NaN") << NAN;
  QTest::newRow("infinite") << std::numeric_limits<float>::infinity();
  QTest::newRow("sums of inputs overflow") << std::numeric_limits<float>::max();
}

// Two pixels of the second of three images. Only what sees them may be odd, too.
void ConvolutionTest::oddNumbersStayWhereTheyBelong() {
  QFETCH(float, odd);
  const ConvolutionCase row{"", "3,24,20,20", "32,24,3,3", "1,1", "1,1", "1,1,1,1"};
  Tensor x = randomTensor(shapeOf(row.x), 1);
  Tensor w = randomTensor(shapeOf(row.weights), 2);
  for (float& weight : w.mutableValues<float>()) weight *= 0x1p-10F;
  const OperatorRunner runner("y = Conv(x, w)" + convolutionAttributes(row));
  const Tensor plain = runner({x, w});
  const std::size_t pixel = ((24 + 5) * 20 + 6) * 20 + 8;
  x.mutableValues<float>()[pixel] = odd;
  x.mutableValues<float>()[pixel + 40] = -odd;
  const Tensor actual = runner({x, w});
  const ConvolutionResult expected = convolve(row, x, w, {});
  const std::vector<double> allowed = bounds(expected, w);
  for (std::size_t i = 0; i < actual.elementCount(); ++i) {
    const auto y = static_cast<double>(actual.values<float>()[i]);
    const std::size_t image = i / (32 * 20 * 20);
    if (image != 1) {
      QVERIFY(actual.values<float>()[i] == plain.values<float>()[i]);
    } else if (std::isfinite(expected.values[i])) {
      QVERIFY(std::abs(y - expected.values[i]) <= allowed[i]);
    } else {
      QVERIFY(y == expected.values[i] || (std::isnan(y) && std::isnan(expected.values[i])));
    }
  }
}

void ConvolutionTest::everyWeightTensorCounts() {
  const Tensor x = randomTensor(Shape{1, 8, 6, 6}, 1);
  const OperatorRunner runner("y = Conv(x, w)");
  std::vector<Tensor> weights;
  std::vector<Tensor> results;
  for (unsigned seed = 0; seed < 9; ++seed) {
    weights.push_back(randomTensor(Shape{16, 8, 3, 3}, seed));
    results.push_back(OperatorRunner("y = Conv(x, w)")({x, weights.back()}));
  }
  // More tensors than are kept, in an order that meets kept and forgotten ones.
  for (const std::size_t i : {0U, 1U, 2U, 0U, 3U, 4U, 5U, 1U, 1U, 6U, 7U, 8U, 0U, 2U}) {
    QVERIFY(identical(runner({x, weights[i]}), results[i]));
  }
}

void ConvolutionTest::threadsShareOneKernel() {
  const OperatorRunner runner("y = Conv(x, w, b) pads=[1,1,1,1]");
  const Tensor b = randomTensor(Shape{16}, 3);
  std::vector<Tensor> inputs;
  std::vector<Tensor> weights;
  std::vector<Tensor> expected;
  for (unsigned i = 0; i < 4; ++i) {
    inputs.push_back(randomTensor(Shape{1 + i % 2, 8, 10, 10}, i));
    weights.push_back(randomTensor(Shape{16, 8, 3, 3}, 10 + i));
    expected.push_back(
        OperatorRunner("y = Conv(x, w, b) pads=[1,1,1,1]")({inputs[i], weights[i], b}));
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t round = 0; round < 50; ++round) {
        const std::size_t k = (i + round) % inputs.size();
        if (!identical(runner({inputs[k], weights[k], b}), expected[k])) ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(wrong, std::vector<int>(4, 0));
}

void ConvolutionTest::lateBiasIsTaken() {
  const Tensor x = randomTensor(Shape{1, 4, 6, 6}, 1);
  const Tensor w = randomTensor(Shape{5, 4, 3, 3}, 2);
  const Tensor b = randomTensor(Shape{5}, 3);
  const OperatorRunner without("y = Conv(x, w)");
  const OperatorRunner with("y = Conv(x, w, b)");
  QVERIFY(identical(without({x, w, b}), with({x, w, b})));
  QVERIFY(identical(without({x, w, Tensor()}), without({x, w})));
}

void ConvolutionTest::badShapesAreErrors_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<QString>("x");
  QTest::addColumn<QString>("weights");
  QTest::addColumn<QString>("bias");
  QTest::addColumn<QString>("part");
  QTest::newRow("channels") << ""
                            << "1,3,8,8"
                            << "4,2,3,3"
                            << ""
                            << "does not fit weights";
  QTest::newRow("rank") << ""
                        << "1,3,8"
                        << "4,3,3,3"
                        << ""
                        << "does not fit weights";
  QTest::newRow("no spatial axes") << ""
                                   << "1,3"
                                   << "4,3"
                                   << ""
                                   << "does not fit weights";
  QTest::newRow("groups") << "group=2"
                          << "1,4,8,8"
                          << "3,2,3,3"
                          << ""
                          << "does not fit weights";
  QTest::newRow("kernel too large") << ""
                                    << "1,3,2,2"
                                    << "4,3,3,3"
                                    << ""
                                    << "does not fit into";
  QTest::newRow("kernel_shape") << "kernel_shape=[2,2]"
                                << "1,3,8,8"
                                << "4,3,3,3"
                                << ""
                                << "kernel_shape";
  QTest::newRow("strides") << "strides=[1]"
                           << "1,3,8,8"
                           << "4,3,3,3"
                           << ""
                           << "strides";
  QTest::newRow("pads") << "pads=[1,1]"
                        << "1,3,8,8"
                        << "4,3,3,3"
                        << ""
                        << "pads";
  QTest::newRow("bias") << ""
                        << "1,3,8,8"
                        << "4,3,3,3"
                        << "3"
                        << "bias";
  QTest::newRow("empty axis") << "pads=[2,2,2,2]"
                              << "1,3,0,8"
                              << "4,3,3,3"
                              << ""
                              << "empty";
}

void ConvolutionTest::badShapesAreErrors() {
  QFETCH(QString, attributes);
  QFETCH(QString, x);
  QFETCH(QString, weights);
  QFETCH(QString, bias);
  QFETCH(QString, part);
  const OperatorRunner runner("y = Conv(x, w) " + attributes.toStdString());
  const Tensor b = bias.isEmpty() ? Tensor() : randomTensor(shapeOf(bias.toStdString()), 1);
  VERIFY_ERROR(runner({randomTensor(shapeOf(x.toStdString()), 1),
                       randomTensor(shapeOf(weights.toStdString()), 2), b}),
               part.toStdString());
}

QUANTSCOPE_TEST(ConvolutionTest)
#include "test_convolution.moc"
