#include <QAbstractItemModelTester>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QtTest>

#include "export/layer_words.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/controls/elided_label.h"
#include "widgets/inspector/measured/error_words.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/inspector_bar.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/inspector_bench.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

InspectorSubject subjectOf(const AnalysisResult& result, std::size_t layer) {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  snapshot->result = std::make_shared<const AnalysisResult>(result);
  const DisplayOptions options;
  return resolveSubject(snapshot, std::make_shared<const LayerIndex>(result),
                        {.node = result.layers[layer].node, .scope = {}, .value = {}}, options);
}

}  // namespace

class InspectorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingOpen();
  void everyMetricOfTheSelectedLayer();
  void titleAndSectionsStayInSight();
  void closedSectionsCatchUp();
  void stateIsKept();
  void hiddenViewDoesNotCompute();
  void structureSaysWhatIsMissing();
  void saysWhereThePrecisionComesFrom_data();
  void saysWhereThePrecisionComesFrom();
  void sentence_data();
  void sentence();
  void floatWithoutErrorBefore();
  void neverReached();
  void nothingFinite();
  void cellModel();
};

void InspectorTest::nothingOpen() {
  InspectorBench bench(nullptr);
  QVERIFY(bench.section("header").isHidden());
  QVERIFY(bench.section("error").isHidden());
}

void InspectorTest::everyMetricOfTheSelectedLayer() {
  InspectorBench bench;
  bench.selection.selectNode(worstLayer().node);
  const CellTable& table = bench.table("error");
  QCOMPARE(table.model()->rowCount(), static_cast<int>(metricCatalogue().size()));
  QCOMPARE(cell(table, 0, 0), QStringLiteral("SQNR"));
  QCOMPARE(cell(table, 0, 2), shortText(worstLayer().local->total.sqnrDb));
  QCOMPARE(cell(table, 0, 3), shortText(worstLayer().accumulated->total.sqnrDb));
  QVERIFY(table.model()->index(0, 2).data(CellModel::kHeatRole).isValid());
  QVERIFY(bench.section("distribution").isVisible());
  QVERIFY(bench.section("error").asText().contains(QStringLiteral("RMSE / scale")));
}

void InspectorTest::titleAndSectionsStayInSight() {
  InspectorBench bench;
  bench.view.resize(320, 300);
  bench.selection.selectNode(worstLayer().node);
  auto& bar = *bench.view.findChild<InspectorBar*>();
  QScrollBar& vertical = *bench.view.findChild<QScrollArea*>()->verticalScrollBar();
  QVERIFY(!bar.isVisible());
  QTRY_VERIFY(vertical.maximum() > 600);
  vertical.setValue(200);
  QVERIFY(bar.isVisible());
  QCOMPARE(bar.findChild<ElidedLabel*>()->text(),
           text(layerOps(worstLayer())) + QStringLiteral(" · ") + text(worstLayer().name));
  auto& tabs = *bar.findChild<QTabBar*>();
  int distribution = 0;
  while (tabs.tabText(distribution) != QStringLiteral("Distribution")) ++distribution;
  Q_EMIT tabs.tabBarClicked(distribution);
  QCOMPARE(tabs.currentIndex(), distribution);
  // The section begins below the bar.
  const InspectorSection& section = bench.section("distribution");
  QCOMPARE(section.mapTo(&bench.view, QPoint()).y(),
           bar.mapTo(&bench.view, QPoint(0, bar.height())).y());
  Q_EMIT tabs.tabBarClicked(0);
  QCOMPARE(vertical.value(), 0);
  QVERIFY(!bar.isVisible());
}

void InspectorTest::closedSectionsCatchUp() {
  InspectorBench bench;
  InspectorSection& error = bench.section("error");
  error.setOpen(false);
  bench.selection.selectNode(worstLayer().node);
  QCOMPARE(bench.table("error").model()->rowCount(), 0);
  error.setOpen(true);
  QCOMPARE(cell(bench.table("error"), 0, 2), shortText(worstLayer().local->total.sqnrDb));
}

void InspectorTest::stateIsKept() {
  InspectorBench bench;
  bench.section("distribution").setOpen(false);
  InspectorBench other;
  QVERIFY(other.view.restoreState(bench.view.saveState()));
  QVERIFY(!other.section("distribution").isOpen());
  QVERIFY(other.section("error").isOpen());
  QVERIFY(!other.view.restoreState("something else"));
}

void InspectorTest::hiddenViewDoesNotCompute() {
  InspectorBench bench;
  bench.view.hide();
  bench.selection.selectNode(worstLayer().node);
  QCOMPARE(bench.table("error").model()->rowCount(), 0);
  bench.view.show();
  QVERIFY(bench.table("error").model()->rowCount() > 0);
}

void InspectorTest::structureSaysWhatIsMissing() {
  AnalysisRequest request = test::sampleRequest("digits_mobilenet", 1);
  request.data.clear();
  InspectorBench bench(sampleSnapshots(request).front());
  bench.selection.selectNode(worstLayer().node);
  QVERIFY(bench.section("header").asText().contains(QStringLiteral("Choose data")));
  QCOMPARE(bench.table("error").model()->rowCount(), 0);
}

void InspectorTest::saysWhereThePrecisionComesFrom_data() {
  QTest::addColumn<QString>("rules");
  QTest::addColumn<QString>("expected");
  QTest::newRow("default") << ""
                           << "Precision from the default.";
  QTest::newRow("operator") << R"(, "op_types": {"Conv": {"weight": {"type": "int4"}}})"
                            << "Precision from the rule for Conv.";
  QTest::newRow("pattern") << R"(, "patterns": [{"match": ".*Gemm", "use": "fp32"},
                                                 {"match": "/stem/.*", "use": "fp32"}])"
                           << "Precision from pattern “/stem/.*”.";
  QTest::newRow("node") << R"(, "op_types": {"Conv": "fp32"}, "nodes": {"/stem/conv/Conv": {}})"
                        << "Precision from its own entry.";
}

void InspectorTest::saysWhereThePrecisionComesFrom() {
  QFETCH(QString, rules);
  QFETCH(QString, expected);
  AnalysisRequest request = test::sampleRequest("digits_mobilenet", 1);
  request.config =
      parseConfiguration(QStringLiteral("{\"quantscope\": 1%1}").arg(rules).toStdString(), "rules");
  InspectorBench bench(sampleSnapshots(request).back());
  bench.selection.selectNode(bench.view.snapshot()->graph().findNode("/stem/conv/Conv"));
  const QString words = bench.section("header").asText();
  QVERIFY2(words.contains(expected), qPrintable(words));
  // A data mover has no precision of its own.
  bench.selection.selectNode(bench.view.snapshot()->graph().findNode("/Flatten"));
  QVERIFY(!bench.section("header").asText().contains("Precision"));
}

void InspectorTest::sentence_data() {
  QTest::addColumn<double>("local");
  QTest::addColumn<double>("accumulated");
  QTest::addColumn<QString>("start");
  const double infinity = std::numeric_limits<double>::infinity();
  QTest::newRow("worst") << 1.0 << 1.0 << "The worst of ";
  QTest::newRow("fine") << 60.0 << 50.0 << "All is well: 60.0 dB";
  QTest::newRow("from before")
      << 60.0 << 12.0
      << "Loses little by itself (60.0 dB); the layers before it have brought it down to 12.0 dB.";
  QTest::newRow("equal") << infinity << infinity << "Loses nothing";
  QTest::newRow("passes on")
      << infinity << 12.0 << "Not quantized: the layers before it have brought it down to 12.0 dB.";
}

void InspectorTest::sentence() {
  QFETCH(double, local);
  QFETCH(double, accumulated);
  QFETCH(QString, start);
  AnalysisResult result = *sampleSnapshot()->result;
  const auto layer = worstLayers(result, &LayerResult::local, 1).at(0);
  result.layers[layer].local->total.sqnrDb = local;
  result.layers[layer].accumulated->total.sqnrDb = accumulated;
  const QString words = errorSentence(subjectOf(result, layer));
  QVERIFY2(words.startsWith(start), qPrintable(words));
}

void InspectorTest::floatWithoutErrorBefore() {
  AnalysisResult result = *sampleSnapshot()->result;
  LayerResult& layer = result.layers[0];
  layer.local.reset();
  layer.accumulated->total.sqnrDb = std::numeric_limits<double>::infinity();
  QCOMPARE(errorSentence(subjectOf(result, 0)),
           QStringLiteral("Not quantized: no error comes in."));
  layer.dataMover = true;
  QCOMPARE(errorSentence(subjectOf(result, 0)),
           QStringLiteral("Only moves data: its input has no error."));
}

void InspectorTest::neverReached() {
  AnalysisResult result = *sampleSnapshot()->result;
  result.layers[0].local.reset();
  result.layers[0].accumulated.reset();
  QCOMPARE(errorSentence(subjectOf(result, 0)),
           QStringLiteral("Not computed: no sample reached this layer."));
}

void InspectorTest::nothingFinite() {
  AnalysisResult result = *sampleSnapshot()->result;
  const auto layer = worstLayers(result, &LayerResult::local, 1).at(0);
  result.layers[layer].local.reset();
  result.layers[layer].accumulated->total.sqnrDb.reset();
  result.layers[layer].accumulated->total.nonFinite = 3;
  QCOMPARE(errorSentence(subjectOf(result, layer)),
           QStringLiteral("No error can be told: what arrives here is not finite."));
}

void InspectorTest::cellModel() {
  CellModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  CellTableContent content;
  content.headers = {QStringLiteral("a"), QStringLiteral("b")};
  content.rows = {{textCell(QStringLiteral("x")), numberCell(0.125)}};
  model.setContent(content);
  QCOMPARE(model.index(0, 1).data(kExactRole).toDouble(), 0.125);
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  model.setContent(content);
  QCOMPARE(changed.count(), 0);
  content.rows[0][1] = numberCell(2);
  model.setContent(content);
  QCOMPARE(changed.count(), 1);
  QCOMPARE(reset.count(), 0);
  content.rows.push_back({textCell(QStringLiteral("y")), numberCell(std::nullopt)});
  model.setContent(content);
  QCOMPARE(reset.count(), 1);
  QCOMPARE(model.rowCount(), 2);
}

QUANTSCOPE_TEST(InspectorTest)
#include "test_inspector.moc"
