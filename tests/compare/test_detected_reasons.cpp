#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compare/compare_models.h"
#include "compare/qdq_twin.h"
#include "export/json/comparison_json.h"
#include "jobs/analysis/detected_reasons.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// What detectors say of the grids of another tool's model stands with the layers.
class DetectedReasonsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aGridThatIsTooNarrow_data();
  void aGridThatIsTooNarrow();
  void nothingIsQuantized();
};

namespace {

ModelComparison comparedWithReasons(SampleNetwork& network, const Engine& second) {
  ModelComparison comparison =
      compareModels(*network.model.engine, second, *network.data, {}, {}, network.job);
  addDetectedReasons(network.model, *network.data, comparison, network.job);
  return comparison;
}

bool saysSaturation(const ComparedLayer& layer) {
  return std::ranges::find(layer.reasons, "saturation", &DetectedReason::detector) !=
         layer.reasons.end();
}

}  // namespace

void DetectedReasonsTest::aGridThatIsTooNarrow_data() {
  QTest::addColumn<bool>("renamed");
  QTest::newRow("names as they were") << false;
  QTest::newRow("renamed") << true;
}

void DetectedReasonsTest::aGridThatIsTooNarrow() {
  QFETCH(bool, renamed);
  QdqTwin twin("digits_mobilenet");
  const NodeId product = twin.products()[3];
  const std::string wrong = twin.graph()[product].name;
  const NodeId dequantizer = twin.outputDequantizer(product);
  const NodeId quantizer = twin.graph()[twin.graph()[dequantizer].inputs[0]].producer;
  for (const NodeId node : {quantizer, dequantizer}) {
    for (float& scale : twin.ownConstant(node, 1).mutableValues<float>()) scale *= 0.1F;
  }
  if (renamed) twin.rename();
  const ModelComparison comparison = comparedWithReasons(twin.network, *twin.read());
  QCOMPARE(comparison.notDetected, std::string());
  QVERIFY(!comparison.suspects.empty());
  const ComparedLayer& first = comparison.layers[comparison.suspects.front().layer];
  QCOMPARE(first.firstLayer, wrong);
  QVERIFY(saysSaturation(first));
  // The others' grids hold what they need.
  const auto clipped = std::ranges::count_if(comparison.layers, [&](const ComparedLayer& layer) {
    return layer.firstLayer != wrong && saysSaturation(layer);
  });
  QCOMPARE(clipped, 0);
}

void DetectedReasonsTest::nothingIsQuantized() {
  SampleNetwork network("digits_mobilenet", 2, 4);
  const ModelComparison comparison = comparedWithReasons(network, *network.model.engine);
  QVERIFY(!comparison.notDetected.empty());
  QVERIFY(std::ranges::all_of(comparison.layers,
                              [](const ComparedLayer& layer) { return layer.reasons.empty(); }));
  const ComparisonHeadline headline = headlineOf(comparison);
  QCOMPARE(comparisonJson(comparison, headline).at("findings_problem").get<std::string>(),
           comparison.notDetected);
  QVERIFY(comparisonText(comparison, headline).find(comparison.notDetected) != std::string::npos);
}

QUANTSCOPE_TEST(DetectedReasonsTest)
#include "test_detected_reasons.moc"
