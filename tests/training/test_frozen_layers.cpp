#include <QtTest>

#include "export/formats/format.h"
#include "support/test_main.h"
#include "training/training_case.h"
#include "training/training_steps.h"

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
  void startsFromEncodings_data();
  void startsFromEncodings();
  void scalesOfACompleteConfiguration();
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

void FrozenLayersTest::startsFromEncodings_data() {
  QTest::addColumn<QString>("name");
  QTest::newRow("of the point") << QStringLiteral("relu2");
  QTest::newRow("of a node inside of the fused layer") << QStringLiteral("conv2");
}

// Their grids are learned like others, unless they are to stay.
void FrozenLayersTest::startsFromEncodings() {
  QFETCH(const QString, name);
  std::string config = test::kThreeBitWeights;
  config.insert(config.rfind('}'),
                R"(, "encodings": {"w2": {"type": "int4", "scale": [0.1]}, ")" +
                    name.toStdString() +
                    R"(": {"type": "uint4", "scale": [0.2], "zero_point": [0]}})");
  Case with(24, 2, test::kTrainedNetwork, config.c_str());
  const NodeId conv2 = with.state.engine->graph().findNode("conv2");
  QVERIFY(with.state.fixed.weights.contains(conv2));
  const LinearLayer& layer = *std::ranges::find(with.layers.layers, conv2, &LinearLayer::lead);
  const PointName point{"relu2", {}};
  for (const bool moves : {true, false}) {
    TrainingSettings settings = shortSettings();
    if (!moves) settings.unobserved = {"conv2"};
    const TrainingOutcome outcome = with.train(settings);
    const RepairState after = with.trained(outcome);
    QVERIFY(!identical(weightOf(*after.engine, layer), weightOf(*with.state.engine, layer)));
    const bool same =
        weightParamsOf(*after.model, layer) == weightParamsOf(*with.state.model, layer);
    QCOMPARE(same, !moves);
    const Encoding* of = after.config.encodings->find(point);
    QCOMPARE(of != nullptr && of->scales[0] != 0.2F, moves);
    // Nothing of the old one is left beside it.
    QVERIFY(!moves || name == "relu2" || after.config.encodings->find({"conv2", {}}) == nullptr);
  }
}

// As a repair writes it, with a grid for everything.
void FrozenLayersTest::scalesOfACompleteConfiguration() {
  const Case plain;
  const RepairState& state = plain.network.state;
  const std::string config = ownConfiguration({*state.engine, state.config, *state.model}).text;
  test::RepairCase network(test::kTrainedNetwork, config, 24);
  QCOMPARE(network.state.fixed.weights.size(), std::size_t{4});
  RepairRequest request;
  request.given = {{scalesStep(nullptr), 0, {}}};
  request.steps.clear();
  const RepairResult result = network.repair(request);
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QVERIFY(result.steps[0].nodes > 0);
}

QUANTSCOPE_TEST(FrozenLayersTest)
#include "test_frozen_layers.moc"
