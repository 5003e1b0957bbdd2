#include <QtTest>
#include <cmath>

#include "repair/biases/layer_moments.h"
#include "repair/repair_case.h"
#include "support/batch_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// The padding of a last batch, which no repair may count.
class PaddedBatchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void momentsLeaveItOut_data();
  void momentsLeaveItOut();
};

void PaddedBatchTest::momentsLeaveItOut_data() {
  QTest::addColumn<QByteArray>("layer");
  QTest::addColumn<std::size_t>("positions");
  QTest::newRow("convolution") << QByteArray("w:float[2,3,1,1]\ny = Conv(x, w) @layer")
                               << std::size_t{4};
  QTest::newRow("product") << QByteArray("w:float[2,4]\ny = MatMul(x, w) @layer") << std::size_t{6};
}

void PaddedBatchTest::momentsLeaveItOut() {
  QFETCH(const QByteArray, layer);
  QFETCH(const std::size_t, positions);
  const QByteArray text = "input x:float[4,3,2,2]\n" + layer + "\noutput y";
  RepairCase network(text.constData(), kPerTensor, 2);
  const LinearLayers layers = network.layers();
  const LinearLayer& linear = layers.layers.at(0);
  SampleSet data(std::make_unique<BatchSource>(network.state.engine->graph().inputs()[0],
                                               Shape{4, 3, 2, 2}, 5));
  std::vector<double> sums(linear.inputs, 0.0);
  for (std::size_t i = 0; i < 2; ++i) {
    const Feed feed = data.read(i);
    const auto values = feed.inputs[0].second.values<float>();
    for (std::size_t j = 0; j < feed.samples * 12; ++j) {
      sums[linear.window ? j / 4 % 3 : j % linear.inputs] += values[j];
    }
  }
  RepairTools tools{data, data, network.settings, network.memory, network.job};
  for (const Moments which : {Moments::Means, Moments::Products}) {
    LayerPass pass(network.state, layers.layers, tools);
    pass.advanceTo(linear);
    const GroupMoments moments =
        measureMoments(pass, *network.state.engine, linear, which, network.job).at(0);
    QCOMPARE(moments.columns, static_cast<double>(5 * positions));
    for (std::size_t k = 0; k < linear.inputs; ++k) {
      const double mean = sums[k] / static_cast<double>(5 * positions);
      QVERIFY(std::abs(moments.twinMean(static_cast<Eigen::Index>(k)) - mean) < 1e-6);
    }
  }
}

QUANTSCOPE_TEST(PaddedBatchTest)
#include "test_padded_batch.moc"
