#include <QtTest>

#include "repair/repair_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Samples that are too few to hold some of them out.
class FewSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fitNothing();
};

void FewSamplesTest::fitNothing() {
  RepairCase network(R"(
    input x:float[1,3,6,6]
    w:float[4,3,3,3]
    a = Conv(x, w) pads=[1,1,1,1] @first
    b = Relu(a) @relu
    v:float[2,4,1,1]
    y = Conv(b, v) @second
    output y
  )",
                     kPerTensor, 7);
  for (std::size_t way = 0; way < findRepairStep("equalize")->ways; ++way) {
    RepairRequest request;
    request.given = {{*findRepairStep("ranges"), 0, {}}, {*findRepairStep("equalize"), way, {}}};
    request.steps.clear();
    const RepairResult result = network.repair(request);
    QCOMPARE(result.steps[0].reason, std::string("there are no samples to fit to"));
    // By weights alone.
    QCOMPARE(result.steps[1].kept, way == 0);
  }
}

QUANTSCOPE_TEST(FewSamplesTest)
#include "test_few_samples.moc"
