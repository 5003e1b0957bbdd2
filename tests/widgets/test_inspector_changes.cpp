#include <QtTest>

#include "support/test_main.h"
#include "widgets/inspector/measured/sample_tiles.h"
#include "widgets/inspector_bench.h"

using namespace quantscope;
using namespace quantscope::test;

/// Every figure of the inspector has its change against B behind it, and none where there is no B.
class InspectorChangesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void outputs();
  void facts();
  void worstLayers();
  void channels();
  void samples();
  void nothingWithoutB();
};

namespace {

constexpr float kLessDb = 3;

void takeFrom(LayerError& error) {
  if (error.total.sqnrDb) *error.total.sqnrDb -= kLessDb;
  for (double& channel : error.channelSqnrDb) channel -= kLessDb;
  for (float& sample : error.sampleSqnrDb) sample -= kLessDb;
}

// All is 3 dB worse under B, one layer is float, and it is larger.
std::shared_ptr<const AnalysisResult> worseResult() {
  auto other = std::make_shared<AnalysisResult>(*sampleSnapshot()->result);
  for (LayerResult& layer : other->layers) {
    if (layer.local) takeFrom(*layer.local);
    if (layer.accumulated) takeFrom(*layer.accumulated);
  }
  for (OutputResult& output : other->outputs) {
    *output.error.sqnrDb -= kLessDb;
    *output.top1Agreement -= 0.25;
    *output.accuracyQuantized -= 2 / static_cast<double>(output.labelled);
    for (float& sample : output.sampleSqnrDb) sample -= kLessDb;
  }
  std::ranges::find_if(other->layers, &LayerResult::quantized)->quantized = false;
  other->summary.quantizedBytes += 2048;
  return other;
}

struct ComparingBench : InspectorBench {
  ComparingBench() : InspectorBench(sampleSnapshot(), 3200) { options.setOther(worseResult()); }

  CellTable& tableOf(const char* key) {
    for (CellTable* table : section(key).findChildren<CellTable*>()) {
      if (columnOf(*table) >= 0) return *table;
    }
    qFatal("no changes in %s", key);
  }
  static int columnOf(const CellTable& table) {
    const QAbstractItemModel& model = *table.model();
    for (int column = 0; column < model.columnCount(); ++column) {
      if (model.headerData(column, Qt::Horizontal).toString() == QStringLiteral("A − B"))
        return column;
    }
    return -1;
  }
  QString change(const char* key, int row = 0) {
    const CellTable& table = tableOf(key);
    return cell(table, row, columnOf(table));
  }
};

}  // namespace

void InspectorChangesTest::outputs() {
  ComparingBench bench;
  QCOMPARE(bench.change("outputs"), QStringLiteral("+3.00"));
  const QString words = bench.section("outputs").asText();
  QVERIFY2(words.contains(QStringLiteral("(+25.0)")), qPrintable(words));
  QVERIFY2(words.contains(QStringLiteral("8/8 (+2)")), qPrintable(words));
}

void InspectorChangesTest::facts() {
  ComparingBench bench;
  const QString words = bench.section("summary").asText();
  QVERIFY2(words.contains(QStringLiteral("(+1)")), qPrintable(words));
  const QString cost = bench.section("cost").asText();
  QVERIFY2(cost.contains(QStringLiteral("(−2")), qPrintable(cost));
}

void InspectorChangesTest::worstLayers() {
  ComparingBench bench;
  QCOMPARE(bench.change("worst"), QStringLiteral("+3.00"));
  // The figures themselves are the differences there.
  bench.options.setDelta(true);
  QVERIFY(!bench.section("worst").asText().contains(QStringLiteral("A − B")));
  bench.options.setDelta(false);
  bench.selection.select({.node = {}, .scope = "/features/features.3", .value = {}});
  QCOMPARE(bench.change("worst"), QStringLiteral("+3.00"));
}

void InspectorChangesTest::channels() {
  ComparingBench bench;
  bench.selection.selectNode(worstLayer().node);
  QCOMPARE(bench.change("channels"), QStringLiteral("+3.00"));
}

void InspectorChangesTest::samples() {
  ComparingBench bench;
  const auto changeOf = [&] {
    return bench.section("samples").findChild<SampleTiles*>()->tiles().at(0).change.text;
  };
  QCOMPARE(changeOf(), QStringLiteral("+3.00"));
  bench.selection.selectNode(worstLayer().node);
  QCOMPARE(changeOf(), QStringLiteral("+3.00"));
  bench.selection.selectSample(1);
  QVERIFY(bench.section("samples").asText().contains(QStringLiteral(" dB (+3.00)")));
}

void InspectorChangesTest::nothingWithoutB() {
  InspectorBench bench(sampleSnapshot(), 3200);
  for (int layer = 0; layer < 2; ++layer) {
    for (const InspectorSection* section : bench.view.findChildren<InspectorSection*>()) {
      if (section->isHidden()) continue;
      QVERIFY(!section->asText().contains(QStringLiteral("A − B")));
      QVERIFY(!section->asText().contains(QStringLiteral("(+")));
    }
    bench.selection.selectNode(worstLayer().node);
  }
}

QUANTSCOPE_TEST(InspectorChangesTest)
#include "test_inspector_changes.moc"
