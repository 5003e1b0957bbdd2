#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>
#include <numeric>

#include "analysis/cost/model_cost.h"
#include "base/number_text.h"
#include "export/count_text.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/weight_statistics.h"
#include "widgets/inspector/measured/channel_line.h"
#include "widgets/inspector/measured/channels_section.h"
#include "widgets/inspector/measured/sample_tiles.h"
#include "widgets/inspector/measured/worst_section.h"
#include "widgets/inspector/network/attribute_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/quantized/weights_section.h"
#include "widgets/inspector_bench.h"
#include "widgets/look/text.h"
#include "widgets/view/known_advice.h"
#include "widgets/words/configuration_words.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// High enough to show everything.
struct HighInspector : InspectorBench {
  HighInspector() : InspectorBench(sampleSnapshot(), 3200) {}
};

void click(CellTable& table, int row, int column) {
  const QRect place = table.visualRect(table.model()->index(row, column));
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place.center());
}

int rowOf(const CellTable& table, const QString& text, int column) {
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    if (cell(table, row, column) == text) return row;
  }
  return -1;
}

WeightStatistics weights(std::vector<double> reach, std::size_t grids) {
  WeightStatistics result;
  result.channelReach = std::move(reach);
  result.params.emplace().grids.assign(grids, Grid{0.5F, 0});
  result.params->axis = grids > 1 ? 0 : -1;
  return result;
}

}  // namespace

class InspectorSectionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void modelOverview();
  void saysWhyALayerStaysFloat();
  void modelTellsItsCost();
  void itsChangeIsToldBesideTheSize();
  void theNextChangeNamesItsOutput();
  void theSearchForTheNextChangeIsInSight();
  void tabMarksTheFirstRow();
  void worstLayersFollowTheMetric();
  void scopeCountsItsLayers();
  void channelsWorstFirst();
  void clickSelectsTheChannel();
  void stripShowsTheWorstOfAPixel();
  void samplesWorstFirst();
  void weightsOfTheLayer();
  void largeWeightsInTheBackground();
  void dominance_data();
  void dominance();
  void nodesLeadToTheirNeighbours();
  void inputOfTheModel();
  void attributes_data();
  void attributes();
};

void InspectorSectionsTest::modelOverview() {
  HighInspector bench;
  QVERIFY(bench.section("outputs").isVisible());
  QVERIFY(bench.section("error").isHidden());
  CellTable& worst = bench.table("worst", "Worst layers");
  QCOMPARE(worst.model()->rowCount(), 5);
  click(worst, 0, 0);
  QCOMPARE(bench.selection.current().node, worstLayer().node);
  QVERIFY(bench.section("outputs").isHidden());
  QVERIFY(bench.section("error").isVisible());
}

void InspectorSectionsTest::modelTellsItsCost() {
  HighInspector bench;
  QVERIFY(bench.section("cost").isVisible());
  const CellTable& facts = bench.table("cost", "Cost");
  const QuantizationSummary& summary = sampleSnapshot()->result->summary;
  const auto value = [&](const char* name) {
    const int row = rowOf(facts, QLatin1String(name), 0);
    return row < 0 ? QString() : cell(facts, row, 1);
  };
  const ModelCost cost = modelCost(*sampleSnapshot()->model.engine, *sampleSnapshot()->quantized,
                                   *sampleSnapshot()->observations);
  QVERIFY(cost.meanBits && cost.macs && summary.macsAbove8Bits);
  QCOMPARE(value("mean bits of weights"), shortText(cost.meanBits) + QStringLiteral(" bits"));
  QCOMPARE(value("mean compression"), shortText(summary.meanCompression) + QStringLiteral(" ×"));
  QCOMPARE(value("true compression"), shortText(summary.trueCompression) + QStringLiteral(" ×"));
  QCOMPARE(value("memory saved"), text(byteSize(summary.memorySavedBytes)) + QStringLiteral(", ") +
                                      text(percent(summary.memorySavedPercent / 100)));
  QCOMPARE(value("MACs per sample"), text(countInWords(*cost.macs)));
  QCOMPARE(value("MACs above 8 bits"), text(percent(*summary.macsAbove8Bits)));
  QCOMPARE(value("calibrated with"), QStringLiteral("%1 samples").arg(summary.calibrationSamples));
  std::size_t layers = 0;
  for (const auto& [type, count] : summary.nodesByType) {
    const QString title = typeTitle(*quantTypeFromName(type));
    QCOMPARE(value(qPrintable(QStringLiteral("layers in ") + title)), QString::number(count));
    layers += count;
  }
  QCOMPARE(layers, sampleSnapshot()->result->layers.size());
  // Every figure says what it is.
  for (int row = 0; row < facts.model()->rowCount(); ++row) {
    QVERIFY(!facts.model()->index(row, 0).data(Qt::ToolTipRole).toString().isEmpty());
  }
  bench.selection.selectNode(worstLayer().node);
  QVERIFY(bench.section("cost").isHidden());
}

void InspectorSectionsTest::itsChangeIsToldBesideTheSize() {
  AnalysisSnapshot edited = *sampleSnapshot();
  AnalysisResult result = *edited.result;
  result.summary.quantizedBytes += 12'500;
  edited.result = std::make_shared<const AnalysisResult>(std::move(result));
  HighInspector bench;
  bench.options.setOther(sampleSnapshot()->result);
  bench.view.setSnapshot(std::make_shared<const AnalysisSnapshot>(std::move(edited)));
  const CellTable& facts = bench.table("cost", "Cost");
  QVERIFY(cell(facts, rowOf(facts, QStringLiteral("size"), 0), 1).endsWith("(+12.5 kB)"));
}

void InspectorSectionsTest::theNextChangeNamesItsOutput() {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  const auto figuresOf = [&] {
    HighInspector bench;
    KnownAdvice known;
    known.data = snapshot->data;
    known.config = snapshot->request.config;
    known.next = NextChange{.edit = {"set /a to FP16", {}},
                            .node = {},
                            .output = "state",
                            .fromDb = 6.2,
                            .toDb = 37.1,
                            .bytes = 424};
    bench.view.setSnapshot(snapshot);
    bench.view.setAdvice(std::make_shared<KnownAdvice>(known));
    return bench.section("next").asText();
  };
  QCOMPARE(figuresOf(), QStringLiteral("Set /a to FP16\n6.2 → 37.1 dB, +424 bytes\n"));
  auto result = std::make_shared<AnalysisResult>(*snapshot->result);
  result->outputs.push_back(result->outputs.front());
  result->outputs.back().value = "state";
  snapshot->result = result;
  QCOMPARE(figuresOf(),
           QStringLiteral("Set /a to FP16\nWorst output, now state: 6.2 → 37.1 dB, +424 bytes\n"));
}

void InspectorSectionsTest::theSearchForTheNextChangeIsInSight() {
  HighInspector bench;
  InspectorSection& section = bench.section("next");
  bench.view.setAdviceProgress(QStringLiteral("Trying: 3 of 8"));
  QVERIFY2(section.asText().contains(QStringLiteral("Trying: 3 of 8")),
           qPrintable(section.asText()));
  const auto button = [&section](const QString& words) -> QPushButton* {
    for (QPushButton* each : section.findChildren<QPushButton*>()) {
      if (each->text() == words && each->isVisible()) return each;
    }
    return nullptr;
  };
  QSignalSpy stops(&bench.view, &InspectorView::adviceStopRequested);
  QSignalSpy starts(&bench.view, &InspectorView::adviceStartRequested);
  QVERIFY(button(QStringLiteral("Stop")) != nullptr);
  button(QStringLiteral("Stop"))->click();
  QCOMPARE(stops.size(), 1);
  bench.view.setAdviceStopped(true);
  QVERIFY(!section.asText().contains(QStringLiteral("Trying")));
  QVERIFY(button(QStringLiteral("Stop")) == nullptr);
  button(QStringLiteral("Try Again"))->click();
  QCOMPARE(starts.size(), 1);
}

void InspectorSectionsTest::tabMarksTheFirstRow() {
  HighInspector bench;
  CellTable& worst = bench.table("worst", "Worst layers");
  worst.setFocus(Qt::TabFocusReason);
  QFocusEvent event(QEvent::FocusIn, Qt::TabFocusReason);
  QApplication::sendEvent(&worst, &event);
  QVERIFY(worst.selectionModel()->isRowSelected(0));
}

void InspectorSectionsTest::worstLayersFollowTheMetric() {
  const AnalysisResult& result = *sampleSnapshot()->result;
  DisplayOptions options;
  options.setKind(ErrorKind::Accumulated);
  std::vector<std::size_t> all(result.layers.size());
  std::iota(all.begin(), all.end(), 0);
  QCOMPARE(worstBy(options, result, all, 3), worstLayers(result, &LayerResult::accumulated, 3));
  options.setMetricIndex(1);  // NMSE orders as SQNR does
  QCOMPARE(worstBy(options, result, all, 3), worstLayers(result, &LayerResult::accumulated, 3));
}

void InspectorSectionsTest::scopeCountsItsLayers() {
  HighInspector bench;
  bench.selection.select({.node = {}, .scope = "/features/features.3", .value = {}});
  const CellTable& facts = bench.table("summary", "Facts");
  QCOMPARE(cell(facts, rowOf(facts, QStringLiteral("layers"), 0), 1), QStringLiteral("2"));
  QVERIFY(isInside("/a/b/c", "/a/b"));
  QVERIFY(!isInside("/a/bc", "/a/b"));
}

void InspectorSectionsTest::channelsWorstFirst() {
  const double nan = std::nan("");
  QCOMPARE(worstChannels({30, nan, 10, 20, 10}, 3), (std::vector<int>{2, 4, 3}));
  QVERIFY(worstChannels({}, 3).empty());
}

void InspectorSectionsTest::clickSelectsTheChannel() {
  HighInspector bench;
  bench.selection.selectNode(worstLayer().node);
  CellTable& table = bench.table("channels", "Worst channels");
  const std::vector<int> worst = worstChannels(worstLayer().local->channelSqnrDb, 12);
  QCOMPARE(table.model()->rowCount(), 12);
  QCOMPARE(cell(table, 0, 1),
           shortText(worstLayer().local->channelSqnrDb[static_cast<std::size_t>(worst[0])]));
  click(table, 2, 0);
  QCOMPARE(bench.selection.current().channel, worst[2]);
  QVERIFY(table.model()->index(2, 0).data(CellModel::kMarkedRole).toBool());
  // One that is not among the worst gets a row of its own.
  const auto& sqnrDb = worstLayer().local->channelSqnrDb;
  const int best = worstChannels(sqnrDb, sqnrDb.size()).back();
  bench.selection.selectChannel(best);
  QCOMPARE(table.model()->rowCount(), 13);
  QVERIFY(table.model()->index(12, 0).data(CellModel::kMarkedRole).toBool());
}

void InspectorSectionsTest::stripShowsTheWorstOfAPixel() {
  ChannelLine strip;
  strip.resize(10, 24);
  std::vector<double> sqnrDb(100, 50);
  sqnrDb[57] = 3;
  strip.setContent(sqnrDb, {}, -1);
  QCOMPARE(strip.channelAt(5), 57);
  QCOMPARE(strip.channelAt(10), -1);
}

void InspectorSectionsTest::samplesWorstFirst() {
  HighInspector bench;
  bench.selection.selectNode(worstLayer().node);
  auto* tiles = bench.section("samples").findChild<SampleTiles*>();
  QCOMPARE(tiles->tiles().size(), std::size_t{6});
  for (std::size_t i = 1; i < 6; ++i) {
    QVERIFY(tiles->tiles()[i - 1].sqnrDb <= tiles->tiles()[i].sqnrDb);
  }
  QTRY_VERIFY(!tiles->tiles()[0].picture.isNull());
  QTest::mouseClick(tiles, Qt::LeftButton, {}, QPoint(20, 20));
  QCOMPARE(bench.selection.current().sample, tiles->tiles()[0].sample);
  QTRY_VERIFY(bench.section("samples").asText().contains(QStringLiteral("label ")));
}

void InspectorSectionsTest::weightsOfTheLayer() {
  HighInspector bench;
  bench.selection.selectNode(worstLayer().node);
  const CellTable& facts = bench.table("weights", "Weights");
  QVERIFY(rowOf(facts, QStringLiteral("shape, type"), 0) >= 0);
  const LayerIndex index(*sampleSnapshot()->result);
  const WeightStatistics measured =
      measureWeights(*sampleSnapshot(), *index.find(worstLayer().node));
  double counted = 0;
  for (const double count : measured.histogram.reference) counted += count;
  QCOMPARE(counted, static_cast<double>(measured.count));
  QVERIFY(gridWords(measured).contains(QStringLiteral("one per channel of axis 0")));
}

void InspectorSectionsTest::largeWeightsInTheBackground() {
  Selection selection;
  const DisplayOptions options;
  WeightsSection section(&selection, 0);
  const auto index = std::make_shared<const LayerIndex>(*sampleSnapshot()->result);
  const auto select = [&](std::size_t layer) {
    const NodeId node = sampleSnapshot()->result->layers[layer].node;
    section.setSubject(
        resolveSubject(sampleSnapshot(), index, {.node = node, .scope = {}, .value = {}}, options));
  };
  select(0);
  select(1);
  QVERIFY(section.asText().contains(QStringLiteral("Reading the weights")));
  // The second one is shown, whatever the first one took.
  const QString shape = text(toString(measureWeights(*sampleSnapshot(), 1).shape));
  QTRY_VERIFY(section.asText().contains(shape));
}

void InspectorSectionsTest::dominance_data() {
  QTest::addColumn<std::vector<double>>("reach");
  QTest::addColumn<int>("grids");
  QTest::addColumn<QString>("words");
  QTest::newRow("one channel") << std::vector<double>{3} << 1 << "";
  QTest::newRow("nothing but zeros") << std::vector<double>{0, 0, 0} << 1 << "";
  QTest::newRow("alike") << std::vector<double>{1, 2, 2} << 1 << "No channel dominates";
  QTest::newRow("per tensor") << std::vector<double>{0.1, 3.2, 0.11} << 1
                              << "Channel 1 reaches 3.20 while the median channel reaches 0.110: "
                                 "steps of one scale for the whole tensor are 29.1 times";
  QTest::newRow("per channel") << std::vector<double>{0.1, 3.2, 0.11} << 3
                               << "Channel 1 reaches 3.20 while the median channel reaches 0.110; "
                                  "as each";
}

void InspectorSectionsTest::dominance() {
  QFETCH(std::vector<double>, reach);
  QFETCH(int, grids);
  QFETCH(QString, words);
  const QString found = dominanceWords(weights(reach, static_cast<std::size_t>(grids)));
  QVERIFY2(words.isEmpty() ? found.isEmpty() : found.startsWith(words), qPrintable(found));
}

void InspectorSectionsTest::nodesLeadToTheirNeighbours() {
  HighInspector bench;
  const AnalysisResult& result = *sampleSnapshot()->result;
  bench.selection.selectNode(result.layers[1].node);
  CellTable& values = bench.table("node", "Inputs and outputs");
  click(values, rowOf(values, QStringLiteral("reads"), 0), 1);
  QCOMPARE(bench.selection.current().node, result.layers[0].node);
  click(values, rowOf(values, QStringLiteral("read by"), 0), 1);
  QCOMPARE(bench.selection.current().node, result.layers[1].node);
  click(values, rowOf(values, QStringLiteral("constant"), 0), 1);
  QVERIFY(bench.selection.current().value.valid());
  QVERIFY(bench.section("summary").asText().contains(QStringLiteral("elements")));
}

void InspectorSectionsTest::inputOfTheModel() {
  HighInspector bench;
  bench.selection.select(
      {.node = {}, .scope = {}, .value = sampleSnapshot()->graph().inputs().front()});
  QVERIFY(bench.section("distribution").isVisible());
  CellTable& readers = bench.table("summary", "Read by");
  click(readers, 0, 0);
  QCOMPARE(bench.selection.current().node, sampleSnapshot()->result->layers[0].node);
}

void InspectorSectionsTest::attributes_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QString>("words");
  QTest::newRow("list") << 0 << "[1, 2, …]";
  QTest::newRow("float") << 1 << "0.1";
  QTest::newRow("text") << 2 << "SAME";
  QTest::newRow("tensor") << 3 << "[2] float32";
}

void InspectorSectionsTest::attributes() {
  QFETCH(int, kind);
  QFETCH(QString, words);
  const std::vector<Attribute::Data> data{std::vector<std::int64_t>{1, 2, 3}, 0.1F,
                                          std::string("SAME"), Tensor::of<float>({2}, {1, 2})};
  QCOMPARE(attributeText({"a", data[static_cast<std::size_t>(kind)]}, 2), words);
}

void InspectorSectionsTest::saysWhyALayerStaysFloat() {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  auto result = std::make_shared<AnalysisResult>(*snapshot->result);
  auto quantized = std::make_shared<QuantizedModel>(*snapshot->quantized);
  LayerResult& layer = result->layers.front();
  layer.quantized = false;
  quantized->notSupported.push_back({.node = layer.name,
                                     .asked = {},
                                     .nearest = {},
                                     .reason = "x86 runs it in float only: it stays float",
                                     .nearestPrecision = {}});
  snapshot->result = result;
  snapshot->quantized = quantized;
  InspectorBench bench(snapshot);
  bench.selection.selectNode(layer.node);
  const QString words = bench.section("header").asText();
  QVERIFY2(words.contains(QStringLiteral("Not quantized: x86 runs it in float only")),
           qPrintable(words));
}

QUANTSCOPE_TEST(InspectorSectionsTest)
#include "test_inspector_sections.moc"
