#include <QApplication>
#include <QCheckBox>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>

#include "analysis/error_metrics.h"
#include "engine/execution.h"
#include "jobs/request_labels.h"
#include "jobs/run_repair.h"
#include "kernels/error_sums.h"
#include "repair/fitting_steps.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/findings/findings_view.h"
#include "widgets/look/text.h"
#include "widgets/repair/repair_dialog.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// The workbench under per-tensor weights, with the dialog open.
struct RepairBench : Workbench {
  RepairBench() : Workbench("digits_mobilenet", 16) {
    waitForGains();
    Configuration config = window->session().request().config;
    config.precision.edit(
        [](PrecisionConfig& precision) { precision.defaults.weight.granularity = Granularity(); });
    window->session().setConfig(config, QStringLiteral("per tensor"));
    waitForGains();
    action(ActionId::Repair)->trigger();
    dialog = window->findChild<RepairDialog*>();
    steps = dialog->findChild<QTableWidget*>();
  }
  void choose(const QStringList& names) const {
    for (int row = 0; row < steps->rowCount(); ++row) {
      const bool on = names.contains(steps->item(row, 0)->text());
      steps->item(row, 0)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
  }
  QPushButton& button(const QString& title) const {
    for (auto* each : dialog->findChildren<QPushButton*>()) {
      if (each->text() == title) return *each;
    }
    qFatal("no button %s", qPrintable(title));
  }

  RepairDialog* dialog = nullptr;
  QTableWidget* steps = nullptr;
};

Tensor outputOf(const AnalysisSnapshot& snapshot, const Feed& feed,
                const AppliedQuantization* applied) {
  const Graph& graph = snapshot.graph();
  const ValueId output = graph.outputs()[0];
  const std::vector<ValueId> inputs(graph.inputs().begin(), graph.inputs().end());
  const Plan plan(*snapshot.model.engine, {inputs, {output}, {output}});
  Execution execution(plan, feed.inputs, applied, feed.batch);
  while (!execution.finished()) execution.step();
  return toFloat32(toLayout(execution.value(output), Layout::Plain));
}

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

}  // namespace

class RepairsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsWhatTheCommandLineFinds();
  void cancelLeavesAllAsItWas();
  void needsAStep();
  void fromAFinding();
  void ofTheSelectedLayers();
  void trainsWhenAskedTo();
};

void RepairsTest::showsWhatTheCommandLineFinds() {
  const RepairBench bench;
  bench.choose({"equalize", "bias-correction"});
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(bench.button("Repair").isEnabled(), 120'000);
  const SnapshotPtr& shown = bench.window->session().snapshot();
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(bench.window->session().queue()->workers(JobTag::Priority::Edit));
  const RepairResult expected =
      runRepair(shown->model, shown->request.config, *shown->data, *shown->calibration,
                labelsOf(shown->request), bench.dialog->request(), memory, job);
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

// Only the steps that act on its fault are chosen.
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
  const auto* dialog = bench.window->findChild<RepairDialog*>();
  QVERIFY(dialog != nullptr);
  std::vector<std::string> chosen;
  for (const RepairStep& step : dialog->request().steps) chosen.emplace_back(step.name);
  QCOMPARE(chosen, fittingSteps(*finding));
}

// What is asked for changes these layers and no other one.
void RepairsTest::ofTheSelectedLayers() {
  const Workbench bench("digits_mobilenet", 16);
  bench.waitForGains();
  QVERIFY(!bench.action(ActionId::RepairSelected)->isEnabled());
  const std::vector<LayerResult>& layers = bench->session().snapshot()->result->layers;
  const auto layer = std::ranges::find_if(layers, [](const LayerResult& each) {
    return each.quantized && each.weight && each.weight->type != QuantType::Float32;
  });
  bench->session().selection().selectNode(layer->node);
  QVERIFY(bench.action(ActionId::RepairSelected)->isEnabled());
  bench.action(ActionId::RepairSelected)->trigger();
  auto* dialog = bench.window->findChild<RepairDialog*>();
  QVERIFY(dialog != nullptr);
  QCOMPARE(dialog->request().only, std::vector<std::string>{layer->name});
  dialog->findChild<QCheckBox*>()->setChecked(false);
  QVERIFY(dialog->request().only.empty());
}

// It is not tried by itself; while it runs its loss is drawn.
void RepairsTest::trainsWhenAskedTo() {
  const RepairBench bench;
  const auto names = [&] {
    QStringList all;
    for (const RepairStep& step : bench.dialog->request().steps) all << text(step.name);
    return all;
  };
  QVERIFY(!names().contains("train"));
  QVERIFY(names().contains("scales"));
  bench.choose({"train"});
  QCOMPARE(names(), QStringList{"train"});
  bench.button("Repair").click();
  const auto& chart = *bench.dialog->findChild<CurveChart*>();
  QTRY_VERIFY_WITH_TIMEOUT(chart.isVisible() && chart.content().points.size() > 1, 120'000);
  QVERIFY(chart.content().points.back().x() > chart.content().points.front().x());
  QTRY_VERIFY_WITH_TIMEOUT(bench.button("Repair").isEnabled(), 240'000);
  const int row = rowReading(*bench.steps, 0, QStringLiteral("train"));
  QVERIFY(!bench.steps->item(row, 6)->text().isEmpty());
}

void RepairsTest::cancelLeavesAllAsItWas() {
  const RepairBench bench;
  const SnapshotPtr before = bench.window->session().snapshot();
  bench.button("Repair").click();
  bench.button("Cancel").click();
  QTRY_VERIFY_WITH_TIMEOUT(bench.button("Repair").isEnabled(), 60'000);
  QVERIFY(bench.dialog->asText().contains("Cancelled"));
  QVERIFY(!bench.button("Save and Open…").isEnabled());
  QVERIFY(bench.window->session().snapshot()->request.config == before->request.config);
}

void RepairsTest::needsAStep() {
  const RepairBench bench;
  bench.choose({});
  bench.button("Repair").click();
  QVERIFY(bench.dialog->asText().contains("Choose a step"));
}

QUANTSCOPE_TEST(RepairsTest)
#include "test_repairs.moc"
