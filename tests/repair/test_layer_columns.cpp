#include <QtTest>
#include <cmath>

#include "repair/repair_case.h"
#include "repair/rounding/layer_columns.h"
#include "support/test_main.h"

using namespace quantscope;
using test::RepairCase;

/// What a layer's outputs see, against what the engine computes.
class LayerColumnsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theirProductsAreTheOutputs_data();
  void theirProductsAreTheOutputs();
};

void LayerColumnsTest::theirProductsAreTheOutputs_data() {
  QTest::addColumn<QByteArray>("input");
  QTest::addColumn<QByteArray>("weight");
  QTest::addColumn<QByteArray>("layer");
  const auto row = [](const char* what, const char* input, const char* weight, const char* layer) {
    QTest::newRow(what) << QByteArray(input) << QByteArray(weight) << QByteArray(layer);
  };
  row("convolution", "1,4,9,7", "6,4,3,3",
      "Conv(x, w) pads=[1,0,2,1] strides=[2,1] dilations=[1,2]");
  row("in groups, two images", "2,6,8,8", "9,2,3,2", "Conv(x, w) group=3");
  row("transposed", "1,4,5,6", "4,6,3,4",
      "ConvTranspose(x, w) pads=[1,0,2,1] strides=[2,3] dilations=[2,1] output_padding=[1,0]");
  row("transposed in groups, cut off", "2,6,7", "6,2,3",
      "ConvTranspose(x, w) pads=[4,3] strides=[2] group=3");
  row("transposed depthwise, of a given extent", "1,4,5,5", "4,1,3,3",
      "ConvTranspose(x, w) strides=[2,2] output_shape=[10,11] group=4");
  row("transposed, as large as asked for", "1,2,4,3", "2,3,2,2",
      "ConvTranspose(x, w) strides=[2,2] auto_pad=\"SAME_UPPER\"");
  row("product", "1,3,5", "5,4", "MatMul(x, w)");
}

void LayerColumnsTest::theirProductsAreTheOutputs() {
  QFETCH(const QByteArray, input);
  QFETCH(const QByteArray, weight);
  QFETCH(const QByteArray, layer);
  const QByteArray text =
      "input x:float[" + input + "]\nw:float[" + weight + "]\ny = " + layer + " @layer\noutput y";
  RepairCase network(text.constData(), test::kPerTensor, 1);
  const LinearLayers layers = network.layers();
  const LinearLayer& linear = layers.layers.at(0);
  const Tensor weights = weightOf(*network.state.engine, linear);
  const Tensor expected = network.outputs(network.state, false)[0];
  const Feed feed = network.data->read(0);
  LayerColumns columns(*network.state.engine, linear, feed.inputs[0].second);
  QCOMPARE(columns.positions() * linear.outputs, expected.elementCount());

  const std::size_t perImage =
      columns.positions() / static_cast<std::size_t>(linear.window ? expected.shape()[0] : 1);
  std::vector<float> column(linear.groups * linear.inputs);
  std::vector<double> sums(column.size(), 0.0);
  for (std::size_t position = 0; position < columns.positions(); ++position) {
    columns.copy(position, column.data(), linear.inputs);
    for (std::size_t k = 0; k < column.size(); ++k) sums[k] += column[k];
    for (std::size_t output = 0; output < linear.outputs; ++output) {
      const float* const own = column.data() + output / linear.outputsPerGroup() * linear.inputs;
      double sum = 0;
      for (std::size_t k = 0; k < linear.inputs; ++k) {
        sum += double{weights.values<float>()[linear.element(output, k)]} * own[k];
      }
      const std::size_t place =
          linear.window
              ? (position / perImage * linear.outputs + output) * perImage + position % perImage
              : position * linear.outputs + output;
      QVERIFY(std::abs(sum - expected.values<float>()[place]) < 1e-5);
    }
  }
  const std::vector<double> found = columns.sums();
  for (std::size_t k = 0; k < sums.size(); ++k) QVERIFY(std::abs(found[k] - sums[k]) < 1e-5);
}

QUANTSCOPE_TEST(LayerColumnsTest)
#include "test_layer_columns.moc"
