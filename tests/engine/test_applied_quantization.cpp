#include "engine/applied_quantization.h"

#include <QtTest>
#include <set>

#include "support/quant_params.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

NodeQuantization everything() {
  NodeQuantization node;
  node.bypassed = true;
  node.constants = {{1, Tensor::of<float>(Shape{2}, {1, 2})}};
  node.factors = {{0, {1, {2, 3}}}};
  node.inputs = {{0, paramsOn(0.5F)}};
  node.outputs = {{0, paramsOn(0.25F)}};
  return node;
}

}  // namespace

class AppliedQuantizationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingHasNoEffect();
  void equalContentsHaveEqualEffects();
  void everyPartCounts();
  void changesNameWhatDiffers();
};

void AppliedQuantizationTest::nothingHasNoEffect() {
  QVERIFY(!effectId({}).valid());
  QVERIFY(share({}) == nullptr);
  const AppliedQuantization none(2);
  QVERIFY(none[NodeId(1)].empty());
  QVERIFY(!none.effect(NodeId(1)).valid());
}

// Another tensor with the same elements is the same constant.
void AppliedQuantizationTest::equalContentsHaveEqualEffects() {
  QVERIFY(effectId(everything()).valid());
  QVERIFY(effectId(everything()) == effectId(everything()));
}

void AppliedQuantizationTest::everyPartCounts() {
  std::set<ContentId> ids{effectId(everything())};
  std::size_t changes = 0;
  const auto change = [&](auto&& edit) {
    NodeQuantization node = everything();
    edit(node);
    ids.insert(effectId(node));
    ++changes;
  };
  change([](NodeQuantization& node) { node.bypassed = false; });
  change([](NodeQuantization& node) { node.constants[0].first = 2; });
  change([](NodeQuantization& node) {
    node.constants[0].second = Tensor::of<float>(Shape{2}, {1, 2.0000002F});
  });
  change([](NodeQuantization& node) { node.constants.clear(); });
  change([](NodeQuantization& node) { node.factors[0].second.axis = 0; });
  change([](NodeQuantization& node) { node.factors[0].second.factors[1] = 4; });
  change([](NodeQuantization& node) { node.inputs[0].first = 1; });
  change([](NodeQuantization& node) { node.inputs[0].second = paramsOn(0.5F, 1); });
  change([](NodeQuantization& node) { node.inputs.swap(node.outputs); });
  change([](NodeQuantization& node) { node.outputs[0].second.type = QuantType::UInt8; });
  change([](NodeQuantization& node) { node.outputs[0].second.qmin = -127; });
  change([](NodeQuantization& node) { node.outputs[0].second.qmax = 126; });
  change([](NodeQuantization& node) { node.outputs[0].second.dynamic = true; });
  change([](NodeQuantization& node) { node.outputs[0].second.symmetric = false; });
  change([](NodeQuantization& node) { node.outputs[0].second.convention = Convention::PyTorch; });
  change([](NodeQuantization& node) { node.outputs[0].second.axis = 0; });
  change([](NodeQuantization& node) { node.outputs[0].second.groupSize = 2; });
  change([](NodeQuantization& node) { node.outputs[0].second.grids[0].threshold = 1; });
  change([](NodeQuantization& node) { node.outputs[0].second.grids.push_back({}); });
  QCOMPARE(ids.size(), changes + 1);
}

void AppliedQuantizationTest::changesNameWhatDiffers() {
  AppliedQuantization from(3);
  from.set(NodeId(1), everything());
  AppliedQuantization to(3);
  to.set(NodeId(1), everything());
  QVERIFY(changesBetween(from, to).empty());
  to.set(NodeId(1), NodeQuantization{});
  to.set(NodeId(2), everything());
  const QuantizationChanges changes = changesBetween(from, to);
  QCOMPARE(changes.size(), std::size_t{2});
  QVERIFY(changes[0].first == NodeId(1) && changes[0].second == nullptr);
  QVERIFY(changes[1].first == NodeId(2) && changes[1].second == to.shared(NodeId(2)));
}

QUANTSCOPE_TEST(AppliedQuantizationTest)
#include "test_applied_quantization.moc"
