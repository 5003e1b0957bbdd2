#include <QtTest>
#include <numeric>

#include "analysis/contributions.h"
#include "analysis/sensitivity.h"
#include "calibration/calibrate.h"
#include "jobs/sample_network.h"
#include "precision/config/layer_alone.h"
#include "support/test_main.h"

using namespace quantscope;

class ContributionsOfLayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areWhatSensitivityGives_data();
  void areWhatSensitivityGives();
  void floatLayersHaveNone();
};

namespace {

constexpr std::size_t kBudget = std::size_t{128} << 20;

struct Network : test::SampleNetwork {
  using SampleNetwork::SampleNetwork;

  std::vector<std::optional<LayerError>> contributions(const Configuration& config) {
    const Engine& engine = *model.engine;
    const Observations observations = calibrate(engine, *data, {}, job);
    AnalysisMemory memory(kBudget);
    quantized = quantizeModel(engine, config, observations);
    return measureContributions(engine, quantizeModel(engine, inFloat(config), observations),
                                quantized, *data, memory, job);
  }

  QuantizedModel quantized;
};

}  // namespace

void ContributionsOfLayersTest::areWhatSensitivityGives_data() {
  QTest::addColumn<QByteArray>("sample");
  for (const char* sample : {"digits_mobilenet", "digits_transformer"}) {
    QTest::addRow("%s", sample) << QByteArray(sample);
  }
}

// A layer whose grids nobody shares is the same alone and in its place.
void ContributionsOfLayersTest::areWhatSensitivityGives() {
  QFETCH(const QByteArray, sample);
  Network network(sample.toStdString());
  const Configuration config;
  const auto contributions = network.contributions(config);
  const Engine& engine = *network.model.engine;
  const Observations observations = calibrate(engine, *network.data, {}, network.job);
  AnalysisMemory memory(kBudget);
  Sensitivity sensitivity(engine, config, observations,
                          {.types = {QuantType::Int8},
                           .around = SensitivityRequest::Around::Float,
                           .part = PrecisionPart::Both},
                          *network.data, {}, memory, network.job);
  std::vector<std::size_t> items(sensitivity.items().size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  const auto rows = sensitivity.run(items, "Layers");
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t layer = sensitivity.items()[i].layer;
    if (!rows[i].alsoInGroup.empty() || !contributions[layer]) continue;
    const double alone = *rows[i].outputs.at(0).error.sqnrDb;
    const double contributed = *contributions[layer]->total.sqnrDb;
    // Grids that are shared differ in the whole network.
    if (alone != contributed) continue;
    ++compared;
  }
  QVERIFY2(2 * compared > rows.size(), qPrintable(QString::number(compared)));
}

void ContributionsOfLayersTest::floatLayersHaveNone() {
  Network network("digits_mobilenet");
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
