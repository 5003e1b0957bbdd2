#include <QApplication>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include "analysis/errors/error_metrics.h"
#include "analysis/errors/worst_output.h"
#include "app/gui/comparison.h"
#include "app/gui/controllers/advice_controller.h"
#include "jobs/repair/fitting_gain.h"
#include "jobs/repair/run_repair.h"
#include "jobs/request_labels.h"
#include "kernels/statistics/error_sums.h"
#include "repair/fitting_steps.h"
#include "repair/output_judge.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "ui/repair_bench.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/findings/findings_view.h"
#include "widgets/inspector/network/next_change_section.h"
#include "widgets/look/text.h"
#include "widgets/repair/repair_detail.h"
#include "widgets/words/gain_words.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// The quantized network of `other` against the float network of `original`, in dB.
double sqnrBetween(const AnalysisSnapshot& original, const AnalysisSnapshot& other) {
  ErrorSums sums;
  for (std::size_t i = 0; i < original.data->feedCount(); ++i) {
    const Feed feed = original.data->read(i);
    const Tensor expected = outputOf(original, feed, nullptr);
    const Tensor actual = outputOf(other, feed, &other.quantized->applied);
    sums.add(errorSums(expected.values<float>(), actual.values<float>()));
  }
  return sqnrDb(sums).value();
}

// Each step with its gains and its verdict.
QStringList decisionsIn(const QTableWidget& steps) {
  QStringList rows;
  for (int row = 0; row < steps.rowCount(); ++row) {
    QStringList cells;
    for (const int column : {0, 1, 2, 6}) {
      const QTableWidgetItem* cell = steps.item(row, column);
      cells << (cell == nullptr ? QString() : cell->text());
    }
    rows << cells.join(QLatin1Char('|'));
  }
  return rows;
}

FittingRepair repairOf(const AnalysisSnapshot& shown, const Finding& finding) {
  return fittingRepair(finding, *shown.model.engine, *shown.quantized);
}

}  // namespace

class RepairsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsWhatTheCommandLineFinds();
  void cancelLeavesAllAsItWas();
  void stoppedTheyKeepWhatWasWon();
  void needsAStep();
  void fromAFinding();
  void aFindingSaysWhatItsRepairsWin();
  void stepByStep();
  void belongToTheirConfiguration();
  void aProjectKeepsThem();
  void theCardIsNarrow();
};

void RepairsTest::showsWhatTheCommandLineFinds() {
  const RepairBench bench;
  bench.choose({"equalize", "bias-correction"});
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  const SnapshotPtr& shown = bench.window->session().snapshot();
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(bench.window->session().queue()->workers(JobTag::Priority::Edit));
  const RepairResult expected =
      runRepair(shown->model, shown->request.config, *shown->data, *shown->calibration,
                labelsOf(shown->request), bench.repair->request(), memory, job);
  QCOMPARE(expected.steps.size(), std::size_t{2});
  bool any = false;
  for (const StepReport& report : expected.steps) {
    const int row = rowReading(*bench.steps, 0, text(report.step));
    QVERIFY(row >= 0);
    QVERIFY(bench.steps->item(row, 6)->text().endsWith(text(report.reason)));
    QCOMPARE(bench.steps->item(row, 6)->text().startsWith("Kept"), report.kept);
    any = any || report.kept;
  }
  QVERIFY2(any, "nothing was won, so nothing is opened");
  // What was kept is what is looked at.
  QVERIFY(bench.steps->item(bench.steps->currentRow(), 6)->text().startsWith("Kept"));
  const QTemporaryDir folder;
  bench.dialogs->repaired = folder.path();
  bench.button("Save and Open…").click();
  MainWindow* opened = nullptr;
  const auto find = [&] {
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      auto* window = qobject_cast<MainWindow*>(widget);
      if (window != nullptr && window != bench.window.get()) opened = window;
    }
    return opened != nullptr;
  };
  // The window goes on while the files are written.
  QTRY_VERIFY_WITH_TIMEOUT(find(), 60'000);
  QVERIFY(QFile::exists(folder.filePath("model.onnx")));
  QVERIFY(QFile::exists(folder.filePath("repair.json")));
  const auto complete = [&] {
    const SnapshotPtr& snapshot = opened->session().snapshot();
    return snapshot && snapshot->stage == AnalysisSnapshot::Stage::Complete;
  };
  QTRY_VERIFY_WITH_TIMEOUT(complete(), 60'000);
  // What was opened comes as close to the original as was promised.
  const double promised = expected.endAll[0].error.sqnrDb.value();
  const double there = sqnrBetween(*shown, *opened->session().snapshot());
  QCOMPARE(opened->messages().messages().size(), std::size_t{1});
  delete opened;
  QVERIFY2(std::abs(promised - there) < 1e-3,
           qPrintable(QString("%1 and %2").arg(promised).arg(there)));
}

// Only the steps that act on its fault are chosen, and its layers where they can be limited.
void RepairsTest::fromAFinding() {
  const Workbench bench("digits_mobilenet", 16);
  bench.waitForGains();
  const std::vector<Finding>& findings = bench->session().snapshot()->detected->findings;
  const auto finding = std::ranges::find_if(
      findings, [](const Finding& each) { return !fittingSteps(each).empty(); });
  QVERIFY(finding != findings.end());
  FindingsView& view = bench.view<FindingsView>();
  view.choose(finding->id);
  QPushButton* repair = nullptr;
  for (auto* button : view.findChildren<QPushButton*>()) {
    if (button->text() == QStringLiteral("Repair…")) repair = button;
  }
  QTRY_VERIFY(repair != nullptr && repair->isVisible());
  repair->click();
  auto& tab = bench.view<RepairView>();
  QTRY_VERIFY(tab.isVisible());
  std::vector<std::string> chosen;
  for (const RepairStep& step : tab.request().steps) chosen.emplace_back(step.name);
  QCOMPARE(chosen, fittingSteps(*finding));
  QCOMPARE(tab.request().only, repairOf(*bench->session().snapshot(), *finding).only);
}

// As soon as the machine is idle, and as the same steps win when they are run.
void RepairsTest::aFindingSaysWhatItsRepairsWin() {
  const RepairBench bench;
  const SnapshotPtr shown = bench.window->session().snapshot();
  const std::vector<Finding>& findings = shown->detected->findings;
  const auto finding = std::ranges::find(findings, "per_channel", &Finding::detector);
  QVERIFY(finding != findings.end());
  auto& view = bench.view<FindingsView>();
  view.choose(finding->id);
  const auto button = [&]() -> QPushButton* {
    for (auto* each : view.findChildren<QPushButton*>()) {
      if (each->text().startsWith(QStringLiteral("Repair"))) return each;
    }
    return nullptr;
  };
  QVERIFY(button() != nullptr);
  QCOMPARE(button()->text(), QStringLiteral("Repair…"));
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(bench.window->session().queue()->workers(JobTag::Priority::Edit));
  const FittingGain expected = measureFittingGain(*shown, repairOf(*shown, *finding), {},
                                                  labelsOf(shown->request), memory, job);
  QVERIFY(!expected.kept.empty() && expected.gain.gainDb > 0.1);
  const QString words = QStringLiteral("Repair: %1…").arg(gainWords(expected.gain));
  QTRY_VERIFY_WITH_TIMEOUT(button()->text() != QStringLiteral("Repair…"), 120'000);
  // The window does not try for long: a busy machine may not come as far.
  const bool tooSlow = button()->toolTip().contains(QStringLiteral("no time to try them all"));
  if (!tooSlow) {
    QCOMPARE(button()->text(), words);
    QCOMPARE(button()->toolTip(), fittingSentence(expected));
  }
  // What the button offers is what was measured.
  QVERIFY(!expected.repair.only.empty());
  QVERIFY(button()->toolTip().contains(QStringLiteral("may change")));
  button()->click();
  QCOMPARE(bench.repair->request().only, expected.repair.only);
  bench.repair->findChild<QSpinBox*>()->setValue(0);  // to their end, as they were measured
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  const auto& result = bench.repair->shown().result;
  QCOMPARE(worstDecibels(result->endAll) - worstDecibels(result->startAll),
           expected.gain.gainDb.value());
  bench.window->session().undoStack().undo();
  // Another configuration has to be measured anew.
  bench.window->session().undoStack().undo();
  bench.waitForGains();
  QVERIFY(button() == nullptr || button()->text() == QStringLiteral("Repair…"));
}

// One step after the other, each taken back and taken again; then compared with in all views.
void RepairsTest::stepByStep() {
  const RepairBench bench;
  const auto decide = [&](const QString& step, const QString& what) {
    bench.steps->selectRow(rowReading(*bench.steps, 0, step));
    QVERIFY(bench.button(what).isEnabled());
    bench.button(what).click();
    QVERIFY(bench.repair->busy());
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  };
  const auto verdict = [&](const QString& step) {
    return bench.steps->item(rowReading(*bench.steps, 0, step), 6)->text();
  };
  const auto tool = [&](const QString& words) {
    for (auto* each : bench.repair->findChildren<QToolButton*>()) {
      if (each->toolTip() == words) return each;
    }
    return static_cast<QToolButton*>(nullptr);
  };
  QVERIFY(!bench.button("Compare as B").isEnabled());
  decide("bias-correction", "&Try");
  QVERIFY(verdict("bias-correction").startsWith("Kept"));
  QVERIFY(!bench.button("&Try").isEnabled());
  decide("equalize", "&Try");
  QVERIFY(verdict("equalize").startsWith("Kept"));
  const auto both = bench.repair->shown().result;
  decide("equalize", "Dr&op");
  QVERIFY(verdict("equalize").contains("it was left out"));
  QVERIFY(bench.repair->shown().result->state.engine != both->state.engine);
  tool("Takes the last decision back")->click();
  QCOMPARE(bench.repair->shown().result, both);
  tool("Takes it again")->click();
  QVERIFY(verdict("equalize").contains("it was left out"));
  // They are steps of the whole window, too.
  QUndoStack& steps = bench.window->session().undoStack();
  QCOMPARE(steps.undoText(), QStringLiteral("drop the repair equalize"));
  steps.undo();
  QCOMPARE(bench.repair->shown().result, both);
  steps.redo();
  QVERIFY(verdict("equalize").contains("it was left out"));
  // Of other steps they know nothing.
  bench.window->session().setDismissed("outlier/somewhere", true);
  QVERIFY(!tool("Takes the last decision back")->isEnabled());
  steps.undo();
  QVERIFY(tool("Takes the last decision back")->isEnabled());
  decide("equalize", "&Keep");
  QVERIFY(verdict("equalize").startsWith("Kept"));
  QCOMPARE(worstDecibels(bench.repair->shown().result->endAll), worstDecibels(both->endAll));

  // What is shown of a layer, and B everywhere.
  bench.button("Compare as B").click();
  const Comparison& comparison = bench.window->comparison();
  QCOMPARE(comparison.snapshot(), bench.repair->shown().repaired);
  QCOMPARE(comparison.name(), QString("Repaired"));
  QVERIFY(!comparison.canSwap());
  QCOMPARE(bench.window->session().options().other(), bench.repair->shown().repaired->result);
  const auto& detail = bench.view<RepairDetail>();
  QVERIFY(detail.isVisible());
  QVERIFY(!detail.layer().isEmpty());
  const LayerResult& layer = bench.layer(0);
  bench.window->session().selection().selectNode(layer.node);
  QCOMPARE(detail.layer(), text(layer.name));
  // B follows what is decided, and taken back: once nothing is left it is the state before.
  decide("equalize", "Dr&op");
  QCOMPARE(comparison.snapshot(), bench.repair->shown().repaired);
  for (int i = 0; i < 5; ++i) tool("Takes the last decision back")->click();
  QVERIFY(bench.repair->shown().result == nullptr);
  QVERIFY(!tool("Takes the last decision back")->isEnabled());
  QVERIFY(comparison.name().isEmpty());
}

// Another configuration has repairs of its own; with the old one they are back.
void RepairsTest::belongToTheirConfiguration() {
  const RepairBench bench;
  bench.choose({"bias-correction"});
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  const auto found = bench.repair->shown().result;
  QVERIFY(found != nullptr);
  Session& session = bench.window->session();
  Configuration config = session.request().config;
  config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.weight.granularity.kind = Granularity::Kind::PerChannel;
  });
  session.setConfig(config, QStringLiteral("per channel"));
  QTRY_VERIFY_WITH_TIMEOUT(bench.repair->shown().result == nullptr, 60'000);
  QVERIFY(!bench.button("Save and Open…").isEnabled());
  bench.waitForGains();
  // Cancelled, and what was shown before does not come back.
  bench.button("Repair").click();
  bench.button("Cancel").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
  QVERIFY(bench.repair->shown().result == nullptr);
  QVERIFY(bench.repair->shown().elsewhere.contains("“per channel”"));
  session.undoStack().undo();
  QTRY_COMPARE_WITH_TIMEOUT(bench.repair->shown().result, found, 60'000);
  session.undoStack().redo();
  QTRY_VERIFY_WITH_TIMEOUT(bench.repair->shown().result == nullptr, 60'000);
  session.undoStack().undo();
  QTRY_COMPARE_WITH_TIMEOUT(bench.repair->shown().result, found, 60'000);
}

void RepairsTest::cancelLeavesAllAsItWas() {
  const RepairBench bench;
  const SnapshotPtr before = bench.window->session().snapshot();
  bench.button("Repair").click();
  bench.button("Cancel").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
  QVERIFY(bench.repair->asText().contains("Cancelled"));
  QVERIFY(!bench.button("Save and Open…").isEnabled());
  QVERIFY(bench.window->session().snapshot()->request.config == before->request.config);
}

void RepairsTest::stoppedTheyKeepWhatWasWon() {
  const RepairBench bench;
  bench.choose({"round", "train"});
  QPushButton& stop = bench.button("Stop and Keep");
  QVERIFY(stop.isHidden());
  bench.button("Repair").click();
  QVERIFY(!stop.isHidden() && stop.isEnabled());
  const auto* loss = bench.repair->findChild<CurveChart*>();
  QTRY_VERIFY_WITH_TIMEOUT(loss->content().points.size() > 1 || !bench.repair->busy(), 60'000);
  QVERIFY2(bench.repair->busy(), qPrintable(bench.repair->asText()));
  stop.click();
  QVERIFY(!stop.isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
  QVERIFY(stop.isHidden());
  const auto& result = bench.repair->shown().result;
  QVERIFY(result && result->stopped);
  QCOMPARE(result->steps.size(), std::size_t{2});
  QVERIFY2(result->steps[0].kept, result->steps[0].reason.c_str());
  // The training was not cut off, but has ended and was judged.
  const QString verdict = QString::fromStdString(result->steps[1].reason);
  QVERIFY2(!verdict.contains("before it was done"), qPrintable(verdict));
  QVERIFY(worstDecibels(result->end.heldOut) > worstDecibels(result->start.heldOut));
  QVERIFY(bench.repair->asText().contains("It was stopped early"));
}

void RepairsTest::needsAStep() {
  const RepairBench bench;
  bench.choose({});
  bench.button("Repair").click();
  QVERIFY(bench.repair->asText().contains("Choose a step"));
}

// A model with kept, dropped and tried steps, opened again.
void RepairsTest::aProjectKeepsThem() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  QStringList rows;
  SnapshotPtr repaired;
  {
    const RepairBench bench;
    bench.choose({"equalize", "bias-correction", "scales"});
    bench.button("Repair").click();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 240'000);
    bench.steps->selectRow(rowReading(*bench.steps, 0, QStringLiteral("bias-correction")));
    bench.button("Dr&op").click();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
    // What a step learns comes again, too, without learning it again.
    bench.steps->selectRow(rowReading(*bench.steps, 0, QStringLiteral("scales")));
    if (bench.button("&Keep").isEnabled()) bench.button("&Keep").click();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 240'000);
    QVERIFY(!bench.window->session().document().repairs().learned.empty());
    rows = decisionsIn(*bench.steps);
    QVERIFY(!rows.filter(QRegularExpression(QStringLiteral("^scales.*Kept"))).isEmpty());
    QVERIFY(!rows.filter(QRegularExpression(QStringLiteral("^equalize.*Kept"))).isEmpty());
    repaired = bench.repair->shown().repaired;
    QVERIFY(repaired);
    saveAs(bench, file);
  }
  // Cancelled, it does not begin by itself, but when it is asked to. On a busy machine it may have
  // ended before it is asked to stop; then once more.
  std::optional<TestWindow> opened;
  for (int attempt = 0; attempt < 5; ++attempt) {
    opened.emplace();
    openProject(*opened, file);
    auto& view = *(*opened)->findChild<RepairView*>();
    QVERIFY(view.shown().result == nullptr);
    opened->action(ActionId::Repair)->trigger();
    QVERIFY(view.busy());
    Q_EMIT view.cancelRequested();
    QTRY_VERIFY(!view.busy());
    if (view.shown().result == nullptr) break;
  }
  const TestWindow& window = *opened;
  auto& again = *window->findChild<RepairView*>();
  QVERIFY(again.shown().result == nullptr && again.shown().canRedo);
  Q_EMIT again.redoRequested();
  QTRY_VERIFY_WITH_TIMEOUT(again.shown().result && !again.busy(), 120'000);
  QCOMPARE(decisionsIn(*again.findChild<QTableWidget*>()), rows);
  // Who only looks changes nothing.
  QVERIFY(window->session().document() == documentIn(file));
  const Feed feed = repaired->data->read(0);
  const SnapshotPtr& repeated = again.shown().repaired;
  QVERIFY(
      std::ranges::equal(outputOf(*repaired, feed, &repaired->quantized->applied).values<float>(),
                         outputOf(*repeated, feed, &repeated->quantized->applied).values<float>()));
  // Decisions of before are taken back, too, and what stood then is there again.
  again.findChild<QToolButton*>()->click();
  QVERIFY(again.busy());
  QTRY_VERIFY_WITH_TIMEOUT(again.shown().result && !again.busy(), 120'000);
  QVERIFY(decisionsIn(*again.findChild<QTableWidget*>()) != rows);
  while (again.shown().canUndo) again.findChild<QToolButton*>()->click();
  QVERIFY(window->session().document().repairs().empty());
}

// Its buttons need no room beside each other: a small window has none.
void RepairsTest::theCardIsNarrow() {
  const RepairBench bench;
  const auto& card = bench.view<NextChangeSection>();
  QTRY_VERIFY_WITH_TIMEOUT(bench->advice().hasNext(), 60'000);
  int beside = 0;
  int count = 0;
  for (const QPushButton* button : card.findChildren<QPushButton*>()) {
    if (!button->isVisible()) continue;
    ++count;
    beside += button->minimumSizeHint().width();
  }
  QCOMPARE(count, 3);
  QVERIFY2(card.minimumSizeHint().width() < beside,
           qPrintable(QString("%1, %2").arg(card.minimumSizeHint().width()).arg(beside)));
}

QUANTSCOPE_TEST(RepairsTest)
#include "test_repairs.moc"
