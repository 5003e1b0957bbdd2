#include <QtTest>

#include "analysis/analyze.h"
#include "analysis/errors/contributions.h"
#include "calibration/calibrate.h"
#include "jobs/sample_network.h"
#include "precision/config/layer_alone.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class ContributionsOfLayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areWhatAnAnalysisGives_data();
  void areWhatAnAnalysisGives();
  void factorsOfTheLayerCount();
  void floatLayersHaveNone();
};

namespace {

struct ContributionsNetwork : SampleNetwork {
  using SampleNetwork::SampleNetwork;

  std::vector<std::optional<LayerError>> contributions(const Configuration& config) {
    const Engine& engine = *model.engine;
    observations = calibrate(engine, *data, {}, job);
    AnalysisMemory memory(kBudget);
    quantized = quantizeModel(engine, config, observations);
    return measureContributions(engine, config, observations, quantized, *data, memory, job);
  }

  Observations observations;
  QuantizedModel quantized;
};

}  // namespace

void ContributionsOfLayersTest::areWhatAnAnalysisGives_data() {
  QTest::addColumn<QByteArray>("sample");
  for (const char* sample : {"digits_mobilenet", "digits_transformer"}) {
    QTest::addRow("%s", sample) << QByteArray(sample);
  }
}

// A whole analysis of the configuration with this layer alone gives the same digits.
void ContributionsOfLayersTest::areWhatAnAnalysisGives() {
  QFETCH(const QByteArray, sample);
  ContributionsNetwork network(sample.toStdString());
  const Configuration config;
  const auto contributions = network.contributions(config);
  const Engine& engine = *network.model.engine;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < contributions.size(); i += 3) {
    if (!contributions[i]) continue;
    const NodeId lead = network.quantized.layers[i].layer.lead();
    const Configuration alone =
        withNode(inFloat(config), engine.graph()[lead].name, NodePrecision(defaultPrecision()));
    AnalysisMemory memory(kBudget);
    const AnalysisResult expected =
        analyze(engine, alone, quantizeModel(engine, alone, network.observations),
                network.observations, *network.data, {}, memory, network.job);
    QCOMPARE(contributions[i]->total.sqnrDb, expected.outputs.at(0).error.sqnrDb);
    ++compared;
  }
  QVERIFY(compared > 5);
}

void ContributionsOfLayersTest::factorsOfTheLayerCount() {
  ContributionsNetwork network("digits_mobilenet");
  const std::string node = "/features/features.1/pointwise/conv/Conv";
  const Graph& graph = network.model.engine->graph();
  const Node& layer = graph[graph.findNode(node)];
  const auto channels =
      static_cast<std::size_t>(network.model.engine->constant(layer.inputs.at(1))->shape()[1]);
  Configuration equalized;
  equalized.repairs.edit([&](Repairs& repairs) {
    std::vector<float> factors(channels, 1);
    factors[0] = 4;
    repairs.equalize.emplace_back(node, factors);
  });
  const auto sqnrOf = [&](const Configuration& config) {
    const auto contributions = network.contributions(config);
    for (std::size_t i = 0; i < contributions.size(); ++i) {
      const NodeId lead = network.quantized.layers[i].layer.lead();
      if (graph[lead].name == node) return *contributions[i]->total.sqnrDb;
    }
    return 0.0;
  };
  const double measured = sqnrOf(equalized);
  QVERIFY(measured != sqnrOf({}));
  const Configuration alone = layerAlone(equalized, node, NodePrecision(defaultPrecision()));
  AnalysisMemory memory(kBudget);
  const Engine& engine = *network.model.engine;
  const AnalysisResult expected =
      analyze(engine, alone, quantizeModel(engine, alone, network.observations),
              network.observations, *network.data, {}, memory, network.job);
  QVERIFY(measured == *expected.outputs.at(0).error.sqnrDb);
}

void ContributionsOfLayersTest::floatLayersHaveNone() {
  ContributionsNetwork network("digits_mobilenet");
  const auto contributions = network.contributions(inFloat({}));
  QCOMPARE(contributions.size(), network.quantized.layers.size());
  for (const auto& contribution : contributions) QVERIFY(!contribution);
  const auto quantized = network.contributions({});
  for (std::size_t i = 0; i < quantized.size(); ++i) {
    QCOMPARE(quantized[i].has_value(), network.quantized.layers[i].quantized);
  }
}

QUANTSCOPE_TEST(ContributionsOfLayersTest)
#include "test_contributions.moc"
