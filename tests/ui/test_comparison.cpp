#include <QLabel>
#include <QTableView>
#include <QTableWidget>
#include <QTreeView>
#include <QtTest>

#include "app/gui/comparison.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/compare/compare_view.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/shell/progress_strip.h"

using namespace quantscope;
using namespace quantscope::test;

/// Two configurations beside each other.
class ComparisonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void withTheStateBefore();
  void withAKeptConfiguration();
  void swapped();
  void swappingWithAKeptOneIsOneStep();
  void isNeverAItself();
  void theLastChoiceCounts();
  void differencesAreShown();
  void differencesReachTheViews();
  void differencesColourTheGraph();
  void theTabShowsBoth();
  void samplesThatChangeClassComeFirst();
  void anUndoBringsNoNewFindings();
  void aTakenNameIsRefused();
  void itsAnalysisIsInSight();
};

namespace {

void setWorstToFloat(const Workbench& bench) {
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
}

}  // namespace

void ComparisonTest::withTheStateBefore() {
  const Workbench bench;
  QVERIFY(bench->comparison().snapshot() == nullptr);
  QVERIFY(!bench.action(ActionId::SwapConfigurations)->isEnabled());
  QVERIFY(!bench.action(ActionId::Delta)->isEnabled());
  const SnapshotPtr first = bench->session().snapshot();
  setWorstToFloat(bench);
  QVERIFY(bench->comparison().snapshot() == first);
  QVERIFY(bench.action(ActionId::Delta)->isEnabled());
}

void ComparisonTest::withAKeptConfiguration() {
  const Workbench bench;
  const Configuration start = bench->session().request().config;
  bench.action(ActionId::KeepConfiguration)->trigger();
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 1"));
  QCOMPARE(bench->comparison().shownName(), QStringLiteral("Configuration 1"));
  setWorstToFloat(bench);
  bench->session().precision().reset();
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
  QVERIFY(bench->comparison().shownName().isEmpty());
  QTRY_VERIFY_WITH_TIMEOUT(bench->comparison().snapshot() != nullptr, 20000);
  QVERIFY(bench->comparison().snapshot()->request.config == start);
  bench->comparison().show(QStringLiteral("Configuration 1"));
  QVERIFY(bench->session().request().config == start);
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("use Configuration 1"));
}

void ComparisonTest::swapped() {
  const Workbench bench;
  const Configuration start = bench->session().request().config;
  setWorstToFloat(bench);
  const Configuration changed = bench->session().request().config;
  bench.action(ActionId::SwapConfigurations)->trigger();
  bench.waitForEnd();
  QVERIFY(bench->session().request().config == start);
  QVERIFY(bench->comparison().snapshot()->request.config == changed);
  bench.action(ActionId::SwapConfigurations)->trigger();
  bench.waitForEnd();
  QVERIFY(bench->session().request().config == changed);
}

void ComparisonTest::isNeverAItself() {
  const Workbench bench;
  bench->comparison().keep();
  setWorstToFloat(bench);
  const SnapshotPtr before = bench->session().snapshot();
  bench->comparison().choose(QStringLiteral("Configuration 1"));
  QTRY_VERIFY(bench->comparison().canSwap());
  bench.action(ActionId::SwapConfigurations)->trigger();
  bench.waitForEnd();
  // Only the one that is A by now is left.
  bench->comparison().remove(QStringLiteral("Configuration 2"));
  QVERIFY(bench->comparison().name().isEmpty());
  QVERIFY(bench->comparison().snapshot()->request.config == before->request.config);
}

void ComparisonTest::swappingWithAKeptOneIsOneStep() {
  const Workbench bench;
  const Session& session = bench->session();
  const Configuration start = session.request().config;
  bench->comparison().keep();
  setWorstToFloat(bench);
  const Configuration changed = session.request().config;
  const int steps = bench->session().undoStack().count();
  bench->comparison().choose(QStringLiteral("Configuration 1"));
  QTRY_VERIFY(bench->comparison().canSwap());
  bench.action(ActionId::SwapConfigurations)->trigger();
  bench.waitForEnd();
  QVERIFY(session.request().config == start);
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 2"));
  QVERIFY(session.document().named().at("Configuration 2") == changed);
  QCOMPARE(bench->session().undoStack().count(), steps + 1);
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("use Configuration 1"));
  bench->session().undoStack().undo();
  QVERIFY(session.request().config == changed);
  QVERIFY(!session.document().named().contains("Configuration 2"));
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 1"));
  bench->session().undoStack().redo();
  QVERIFY(session.request().config == start);
  QVERIFY(session.document().named().at("Configuration 2") == changed);
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 2"));
  // The same where both have names already.
  QTRY_VERIFY(bench->comparison().canSwap());
  bench.action(ActionId::SwapConfigurations)->trigger();
  QVERIFY(session.request().config == changed);
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 1"));
  bench->session().undoStack().undo();
  QVERIFY(session.request().config == start);
  QCOMPARE(bench->comparison().name(), QStringLiteral("Configuration 2"));
}

// While another one is still being analysed.
void ComparisonTest::theLastChoiceCounts() {
  const Workbench bench;
  Comparison& comparison = bench->comparison();
  Configuration kept = bench->session().request().config;
  for (const QuantType type : {QuantType::Int4, QuantType::Int2}) {
    kept.precision.edit([&](PrecisionConfig& config) { config.defaults.weight.type = type; });
    bench->session().setConfig(kept, QStringLiteral("narrow"));
    comparison.keep();
  }
  bench->session().undoStack().setIndex(0);
  bench->session().undoStack().setIndex(bench->session().undoStack().count());
  setWorstToFloat(bench);
  for (int i = 0; i < 4; ++i) {
    const QString name = QStringLiteral("Configuration %1").arg(i % 2 + 1);
    comparison.choose(name);
    QTest::qWait(i);
  }
  QTRY_VERIFY(comparison.snapshot());
  QVERIFY(comparison.snapshot()->request.config == kept);
}

void ComparisonTest::differencesAreShown() {
  const Workbench bench;
  const SnapshotPtr first = bench->session().snapshot();
  setWorstToFloat(bench);
  DisplayOptions& options = bench->session().options();
  options.setKind(ErrorKind::Accumulated);
  bench.action(ActionId::Delta)->trigger();
  QVERIFY(options.delta());
  const LayerIndex others(*first->result);
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    const auto other = others.find(bench.layer(i).node);
    if (!other) continue;
    const auto& now = bench.layer(i).accumulated;
    const auto& before = first->result->layers[*other].accumulated;
    if (!now || !before || !now->total.sqnrDb || !before->total.sqnrDb) continue;
    const double difference = *now->total.sqnrDb - *before->total.sqnrDb;
    if (std::isnan(difference)) continue;
    QVERIFY(options.figureOf(bench.layer(i)).value == difference);
  }
  const ErrorScale scale = options.scale(*bench->session().snapshot()->result);
  QVERIFY(scale.showsDifferences());
  QCOMPARE(scale.textAt(0.5), QStringLiteral("0 dB"));
  QCOMPARE(scale.textAt(0), QStringLiteral("+20.0 dB"));
}

void ComparisonTest::differencesReachTheViews() {
  const Workbench bench;
  const SnapshotPtr first = bench->session().snapshot();
  setWorstToFloat(bench);
  bench.action(ActionId::Delta)->trigger();
  QVERIFY(bench.bringUp(Spot::Heatmap));
  const HeatmapMeasure& measure = bench.heatmap().scene().data->measure(0);
  QVERIFY(measure.scale.showsDifferences());
  QCOMPARE(measure.name, QStringLiteral("A − B of the local SQNR"));
  QVERIFY(bench.bringUp(Spot::Layers));
  const QAbstractItemModel& layers = *bench.layers().model();
  int sqnr = 0;
  while (layers.headerData(sqnr, Qt::Horizontal).toString() !=
         QStringLiteral("Accumulated error: SQNR (dB)")) {
    ++sqnr;
  }
  const LayerIndex others(*first->result);
  int compared = 0;
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    const auto other = others.find(bench.layer(i).node);
    const auto& now = bench.layer(i).accumulated;
    const auto& before = first->result->layers[*other].accumulated;
    if (!now || !before || !now->total.sqnrDb || !before->total.sqnrDb) continue;
    const double difference = *now->total.sqnrDb - *before->total.sqnrDb;
    if (std::isnan(difference)) continue;
    const int row = rowReading(bench.layers(), 0, QString::number(i + 1));
    QCOMPARE(layers.index(row, sqnr).data().toDouble(), difference);
    const auto column = static_cast<int>(metricCatalogue().size());
    const auto cell = bench.heatmap().scene().data->figure(static_cast<int>(i), column);
    QCOMPARE(cell->value, difference);
    ++compared;
  }
  QVERIFY(compared > 5);
  const QString words = bench->findChild<InspectorSection*>(QStringLiteral("error"))->asText();
  QVERIFY2(words.contains(QStringLiteral("Accumulated A − B")), qPrintable(words));
  bench.action(ActionId::Delta)->trigger();
  QVERIFY(bench.bringUp(Spot::Heatmap));
  QVERIFY(!bench.heatmap().scene().data->measure(0).scale.showsDifferences());
}

void ComparisonTest::differencesColourTheGraph() {
  const Workbench bench;
  setWorstToFloat(bench);
  DisplayOptions& options = bench->session().options();
  options.setKind(ErrorKind::Local);
  bench.action(ActionId::Delta)->trigger();
  QVERIFY(bench.bringUp(Spot::Graph));
  QTRY_VERIFY(bench.canvas().content().looks->differences);
  const ErrorScale scale = options.scale(*bench->session().snapshot()->result);
  const GraphLooks& looks = *bench.canvas().content().looks;
  int unchanged = 0;
  for (std::size_t i = 0; i < looks.boxes.size(); ++i) {
    const BoxLook& look = looks.boxes[i];
    if (!look.figure || look.figure->kind != Figure::Kind::Value) continue;
    QCOMPARE(look.fill, scale.colour(look.figure->value));
    if (look.figure->value != 0) continue;
    QCOMPARE(look.position, 0.5);
    ++unchanged;
  }
  QVERIFY(unchanged > 0);
}

void ComparisonTest::samplesThatChangeClassComeFirst() {
  const Workbench bench("digits_mobilenet", 40);
  // So few bits that some pictures are taken for another digit.
  bench->session().selection().selectNodes({bench.layer(0).node, bench.layer(1).node});
  PrecisionFields fields;
  fields.weight.type = QuantType::Int2;
  bench->session().precision().setFields(fields, QStringLiteral("set weights to int2 of"));
  bench.waitForEnd();
  bench.action(ActionId::ShowCompare)->trigger();
  const std::vector<std::int32_t>& a =
      bench->session().snapshot()->result->outputs[0].quantizedClasses;
  const std::vector<std::int32_t>& b =
      bench->session().options().other()->outputs[0].quantizedClasses;
  QCOMPARE(a.size(), std::size_t{40});
  QCOMPARE(b.size(), std::size_t{40});
  int changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i] ? 1 : 0;
  QVERIFY2(changed > 0, "nothing to be seen");
  const auto& table = *bench.view<CompareView>().findChild<QTableWidget*>();
  // What is selected elsewhere is marked here.
  bench->session().selection().selectSample(7);
  QCOMPARE(table.item(table.currentRow(), 0)->data(Qt::UserRole).toInt(), 7);
  for (int row = 0; row < table.rowCount(); ++row) {
    const bool differs = table.item(row, 2)->text() != table.item(row, 3)->text();
    QCOMPARE(differs, row < changed);
  }
  const auto labels = bench.view<CompareView>().findChildren<QLabel*>();
  const QString words = QStringLiteral("%1 of 40 samples change class").arg(changed);
  QVERIFY(std::ranges::any_of(labels,
                              [&](const QLabel* label) { return label->text().contains(words); }));
}

// They were there when the model was opened; and nothing is new against itself.
void ComparisonTest::anUndoBringsNoNewFindings() {
  const Workbench bench;
  const QAbstractItemModel& findings = *bench.view<FindingsView>().tree().model();
  const auto news = [&] {
    int count = 0;
    for (int group = 0; group < findings.rowCount(); ++group) {
      const QModelIndex heading = findings.index(group, 0);
      for (int row = 0; row < findings.rowCount(heading); ++row) {
        const QModelIndex cell = findings.index(row, 0, heading);
        count += cell.data(FindingsModel::kNewRole).toBool() ? 1 : 0;
      }
    }
    return count;
  };
  setWorstToFloat(bench);
  QTRY_VERIFY(news() > 0);
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  QTRY_COMPARE(news(), 0);
  bench->comparison().keep();
  QTRY_VERIFY(bench->comparison().snapshot() != nullptr);
  QTRY_COMPARE(news(), 0);
}

void ComparisonTest::aTakenNameIsRefused() {
  const Workbench bench;
  Comparison& comparison = bench->comparison();
  bench.action(ActionId::KeepConfiguration)->trigger();
  comparison.duplicate(QStringLiteral("Configuration 1"));
  const QStringList names = comparison.names();
  QCOMPARE(names.size(), 2);
  comparison.rename(names[0], names[1]);
  QCOMPARE(comparison.names(), names);
  QVERIFY2(bench.messages().contains(QStringLiteral("keeps its name")),
           qPrintable(bench.messages()));
}

void ComparisonTest::theTabShowsBoth() {
  const Workbench bench;
  bench.action(ActionId::ShowCompare)->trigger();
  auto& view = bench.view<CompareView>();
  auto& chart = *view.findChild<ScatterChart*>();
  QVERIFY(view.isVisible() && !chart.isVisible());
  setWorstToFloat(bench);
  QVERIFY(chart.isVisible());
  QVERIFY(!chart.points().empty());
  QCOMPARE(view.findChild<QTableWidget*>()->rowCount(), 2);
  const auto quantized =
      std::ranges::find_if(bench->session().snapshot()->result->layers,
                           [](const LayerResult& layer) { return layer.local.has_value(); });
  bench->session().selection().selectNode(quantized->node);
  QVERIFY(chart.current() >= 0);
  Q_EMIT chart.picked(0);
  QCOMPARE(chart.current(), 0);
}

// Its progress, a way to stop it, and its failure. It does not begin again by itself.
void ComparisonTest::itsAnalysisIsInSight() {
  const Workbench bench;
  bench.waitForGains();
  Comparison& comparison = bench->comparison();
  AnalysisController& other = comparison.controller();
  auto& strip = bench.view<ProgressStrip>();
  Configuration config = bench->session().request().config;
  config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.weight.granularity.kind = Granularity::Kind::PerTensor;
  });
  comparison.preview(config, QStringLiteral("per tensor"));
  QVERIFY(other.running());
  Q_EMIT other.progressChanged({.stage = "Calibrating", .done = 1, .total = 2});
  QVERIFY(strip.findChild<QLabel*>()->text().startsWith(QStringLiteral("B: Calibrating")));
  Q_EMIT strip.cancelRequested();
  QTRY_VERIFY(!other.running());
  Q_EMIT bench->session().controller().snapshotChanged();
  QVERIFY(!other.running());
  Q_EMIT other.failed(Error(ErrorCode::InvalidConfiguration, "there is no such type"));
  const std::vector<Message> messages = bench->messages().messages();
  QVERIFY(messages.front().sentence.contains(QStringLiteral("no such type")));
  QVERIFY(!messages.front().remedies.empty());
  comparison.retry();
  QTRY_VERIFY_WITH_TIMEOUT(comparison.snapshot() != nullptr, 20'000);
  QVERIFY(comparison.snapshot()->request.config == config);
  for (const Message& each : bench->messages().messages()) {
    QVERIFY(!each.sentence.contains(QStringLiteral("no such type")));
  }
}

QUANTSCOPE_TEST(ComparisonTest)
#include "test_comparison.moc"
