#include <QtTest>

#include "support/test_main.h"
#include "training/training_case.h"

using namespace quantscope;
using test::shortSettings;
using Case = test::TrainingCase;

/// What of a layer is left alone by training.
class FrozenLayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void freezes();
  void freezesObservers();
  void freezesObserversOfALayer();
  void layersThatAreNotQuantized();
  void scalesAlone();
  void gridsOfEncodings();
};

void FrozenLayersTest::freezes() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.frozen = {"conv2"};
  const TrainingOutcome outcome = with.train(settings);
  const Graph& graph = with.state.engine->graph();
  const NodeId frozen = graph.findNode("conv2");
  QVERIFY(!outcome.overlay.constants.empty());
  for (const ChangedConstant& each : outcome.overlay.constants) QVERIFY(each.node != frozen);
  for (const FixedGrid& each : outcome.overlay.grids) QVERIFY(each.node != frozen);
  for (const FixedPoint& each : outcome.overlay.points) {
    QVERIFY(each.point.producer != "conv2" && each.point.producer != "relu2");
    QVERIFY(each.point.consumer != "conv2");
  }
  const RepairState after = with.trained(outcome);
  for (std::size_t i = 0; i < with.layers.layers.size(); ++i) {
    const LinearLayer& layer = with.layers.layers[i];
    const bool same =
        identical(weightOf(*after.engine, layer), weightOf(*with.state.engine, layer));
    QCOMPARE(same, layer.lead == frozen);
  }
}

void FrozenLayersTest::freezesObservers() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.blockShare = 0;
  settings.freezeObserversAfter = 0;
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.overlay.points.empty());
  for (const FixedGrid& each : outcome.overlay.grids) {
    const auto layer = std::ranges::find(with.layers.layers, each.node, &LinearLayer::lead);
    QVERIFY(each.params == weightParamsOf(*with.state.model, *layer));
  }
  QVERIFY(!outcome.overlay.constants.empty());
}

void FrozenLayersTest::freezesObserversOfALayer() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.unobserved = {"conv2"};
  const TrainingOutcome outcome = with.train(settings);
  const RepairState after = with.trained(outcome);
  bool othersMoved = false;
  for (const LinearLayer& layer : with.layers.layers) {
    QVERIFY(!identical(weightOf(*after.engine, layer), weightOf(*with.state.engine, layer)));
    const bool same =
        weightParamsOf(*after.model, layer) == weightParamsOf(*with.state.model, layer);
    if (with.state.engine->graph()[layer.lead].name == "conv2") {
      QVERIFY(same);
    } else {
      othersMoved = othersMoved || !same;
    }
  }
  QVERIFY(othersMoved);
  QVERIFY(!outcome.overlay.points.empty());
  for (const FixedPoint& each : outcome.overlay.points) {
    QVERIFY(each.point.producer != "conv2" && each.point.producer != "relu2");
    QVERIFY(each.point.consumer != "conv2");
  }
}

void FrozenLayersTest::layersThatAreNotQuantized() {
  Case with;
  TrainingSettings settings = shortSettings();
  for (const char* name : {"conv1", "conv2", "conv3", "conv4"}) settings.unquantized.insert(name);
  settings.blockShare = 0;
  // Float already, there is nothing to win, and nothing that is learned may harm.
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY2(outcome.report.startLoss < 1e-9, qPrintable(QString::number(outcome.report.startLoss)));
}

void FrozenLayersTest::scalesAlone() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.trainsWeights = false;
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.overlay.constants.empty());
  QVERIFY(outcome.overlay.grids.empty());
  QVERIFY(!outcome.overlay.points.empty());
  QVERIFY(outcome.report.bestLoss < outcome.report.startLoss);
}

// What the configuration fixes stays; the weights are learned on their grid.
void FrozenLayersTest::gridsOfEncodings() {
  std::string config = test::kThreeBitWeights;
  config.insert(config.rfind('}'), R"(, "encodings": {
      "w2": {"type": "int4", "scale": [0.1]},
      "relu2": {"type": "uint4", "scale": [0.2], "zero_point": [0]}})");
  Case with(24, 2, test::kTrainedNetwork, config.c_str());
  const TrainingOutcome outcome = with.train(shortSettings());
  const RepairState after = with.trained(outcome);
  for (const FixedPoint& each : outcome.overlay.points) QVERIFY(each.point.producer != "relu2");
  QVERIFY(!outcome.overlay.points.empty());
  for (const LinearLayer& layer : with.layers.layers) {
    const bool same =
        weightParamsOf(*after.model, layer) == weightParamsOf(*with.state.model, layer);
    const bool fixed = with.state.engine->graph()[layer.lead].name == "conv2";
    QCOMPARE(same, fixed);
    QVERIFY(!identical(weightOf(*after.engine, layer), weightOf(*with.state.engine, layer)));
  }
}

QUANTSCOPE_TEST(FrozenLayersTest)
#include "test_frozen_layers.moc"
