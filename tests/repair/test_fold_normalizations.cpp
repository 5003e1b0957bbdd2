#include <QtTest>

#include "repair/repair_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Batch normalizations that become part of the weights before them.
class FoldNormalizationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneNumberAsBias();
};

// A bias that all channels share is none to repair, and yet the place of the folded one.
void FoldNormalizationsTest::oneNumberAsBias() {
  RepairCase network(R"(
    input x:float[1,3]
    w:float[3,4]
    c:float[1]{0.5}
    scale:float[4]{1, 0.5, 2, 1}
    shift:float[4]{0, 1, -1, 0.5}
    mean:float[4]{0.1, 0, 0, -0.2}
    var:float[4]{1, 2, 0.5, 1}
    a = Gemm(x, w, c) @gemm
    y = BatchNormalization(a, scale, shift, mean, var) @norm
    output y
  )",
                     kPerTensor);
  QCOMPARE(network.layers().layers.size(), std::size_t{1});
  QVERIFY(!network.layers().layers[0].bias);
  const RepairState folded = network.folded();
  const auto reference = network.outputs(network.state, false);
  QVERIFY(sqnrOf(reference, network.outputs(folded, false)) > 110);
  QVERIFY(sqnrOf(network.outputs(network.state, true), network.outputs(folded, true)) > 110);
  const LinearLayers layers = findLinearLayers(*folded.engine, *folded.model);
  QVERIFY(layers.layers.at(0).bias.has_value());
  QCOMPARE(network.repair().steps.size(), repairSteps().size());
}

QUANTSCOPE_TEST(FoldNormalizationsTest)
#include "test_fold_normalizations.moc"
