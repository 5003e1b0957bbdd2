#include <QCompleter>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/work_checkpoint.h"
#include "jobs/repair/repeat_repairs.h"
#include "jobs/request_labels.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "ui/repair_bench.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/look/text.h"
#include "widgets/repair/layer_list_edit.h"
#include "widgets/repair/repair_detail.h"
#include "widgets/repair/training_dialog.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QPushButton& trainingButton(const RepairView& view) {
  for (auto* button : view.findChildren<QPushButton*>()) {
    if (button->text().startsWith(QStringLiteral("Training…"))) return *button;
  }
  qFatal("no button for the choices of training");
}

TrainingDialog& openTraining(const RepairView& view) {
  trainingButton(view).click();
  return *view.findChild<TrainingDialog*>();
}

void choose(const RepairView& view, const TrainingChoices& wanted) {
  TrainingDialog* dialog = &openTraining(view);
  dialog->setChoices(wanted);
  QVERIFY(dialog->choices() == wanted);
  dialog->accept();
  delete dialog;
  QVERIFY(view.training() == wanted);
}

// Enough to be stopped in the middle, and few enough to come to an end soon.
TrainingChoices fewSteps() {
  TrainingChoices choices;
  choices.steps = 300;
  return choices;
}

}  // namespace

class TrainedRepairsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void trainsWhenAskedTo();
  void whatWasTrainedHasToRunAgain();
  void aStoppedTrainingGoesOn();
  void theyAreTrainedAsChosen();
  void otherChoicesReplaceAStoppedTraining();
  void layersAreThoseOfAModel();
  void layersNeedNotBeSpeltOut();
};

// It is not tried by itself; while it runs its loss is drawn.
void TrainedRepairsTest::trainsWhenAskedTo() {
  const RepairBench bench;
  const auto names = [&] {
    QStringList all;
    for (const RepairStep& step : bench.repair->request().steps) all << text(step.name);
    return all;
  };
  QVERIFY(!names().contains("train"));
  QVERIFY(names().contains("scales"));
  choose(*bench.repair, fewSteps());
  bench.choose({"train"});
  QCOMPARE(names(), QStringList{"train"});
  bench.button("Repair").click();
  QTRY_VERIFY(bench.repair->asText().startsWith("Repairing: "));
  const auto& chart = *bench.repair->findChild<CurveChart*>();
  const int row = rowReading(*bench.steps, 0, QStringLiteral("train"));
  QTRY_VERIFY(bench.steps->item(row, 6)->text().startsWith(QStringLiteral("Running: ")));
  QTRY_VERIFY_WITH_TIMEOUT(chart.content().points.size() > 1, 120'000);
  const auto& pages = bench.view<RepairDetail>();
  const int loss = pages.indexOf(bench.repair->findChild<CurveChart*>());
  QVERIFY(pages.isTabVisible(loss));
  QVERIFY(chart.content().points.back().x() > chart.content().points.front().x());
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 240'000);
  QVERIFY(!bench.steps->item(row, 6)->text().startsWith(QStringLiteral("Running: ")));
  // The curve goes with what was trained.
  QVERIFY(pages.isTabVisible(loss));
  bench.window->session().undoStack().undo();
  QTRY_VERIFY(!bench.repair->shown().result);
  QVERIFY(!pages.isTabVisible(loss));
}

// Where it was not kept with the work.
void TrainedRepairsTest::whatWasTrainedHasToRunAgain() {
  const RepairBench bench;
  const SnapshotPtr& shown = bench.window->session().snapshot();
  const auto training = std::make_shared<TrainingRun>();
  DecidedRepairs decided = decidedRepairs(*shown, RepairResult(), *training);
  QVERIFY(!areOf(decided, shown->request.config));
  decided.steps = {{.step = "equalize", .what = {}, .kept = true, .reason = "was good"},
                   {.step = "train", .what = {}, .kept = true, .reason = "was good"}};
  QVERIFY(areOf(decided, shown->request.config));
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(bench.window->session().queue()->workers(JobTag::Priority::Edit));
  const RepairResult result =
      repeatRepairs(*shown, decided, training, {}, labelsOf(shown->request), memory, job);
  QCOMPARE(result.steps.size(), std::size_t{2});
  QVERIFY(result.steps[0].kept);
  // It was good on other samples: nothing had been measured on these.
  QVERIFY(result.steps[0].reason.starts_with("it was chosen"));
  QVERIFY(!result.steps[1].kept);
  QVERIFY(result.steps[1].reason.ends_with("it has to run again"));
}

// Stopped, kept in a project and opened again, it comes to the bits of one that was not stopped.
void TrainedRepairsTest::aStoppedTrainingGoesOn() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  const auto train = [](RepairView& view, QTableWidget& steps) {
    choose(view, fewSteps());
    for (int row = 0; row < steps.rowCount(); ++row) {
      const bool on = steps.item(row, 0)->text() == QStringLiteral("train");
      steps.item(row, 0)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
    view.findChild<QSpinBox*>()->setValue(0);
    for (auto* button : view.findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Repair")) return button->click();
    }
    QFAIL("there is no button to begin with");
  };
  const auto outputOfEnd = [](const RepairView& view) {
    const SnapshotPtr& shown = view.shown().repaired;
    return outputOf(*shown, shown->data->read(0), &shown->quantized->applied);
  };
  Tensor whole;
  std::optional<double> gain;
  {
    const RepairBench bench;
    const Document& document = bench.window->session().document();
    train(*bench.repair, *bench.steps);
    const auto& chart = *bench.repair->findChild<CurveChart*>();
    // Early, so that the training has not ended before it hears of it.
    QTRY_VERIFY_WITH_TIMEOUT(!chart.content().points.empty(), 120'000);
    Q_EMIT bench.repair->cancelRequested();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
    QVERIFY(bench.repair->asText().contains("train goes on from there"));
    QVERIFY(document.repairs().unfinished.bytes);
    // What is kept is a place to go on from.
    const auto again = std::make_shared<TrainingRun>();
    again->settings = withChoices(again->settings, fewSteps());
    again->settings.checkpoint = std::make_shared<WorkCheckpoint>(
        document.repairs().unfinished.bytes, [](const WorkCheckpoint::Bytes&) {});
    AnalysisMemory memory(std::size_t{128} << 20);
    JobContext job(bench.window->session().queue()->workers(JobTag::Priority::Edit));
    RepairRequest request;
    request.steps = {trainingStep(again)};
    const SnapshotPtr& snapshot = bench.window->session().snapshot();
    again->labels = labelsOf(snapshot->request);
    runRepair(*snapshot, again->labels, request, memory, job);
    QVERIFY(again->report && again->report->resumed);
    saveAs(bench, file);
    const StoppedTraining stopped = document.repairs().unfinished;
    bench.window->session().keepCheckpoint({});
    train(*bench.repair, *bench.steps);
    QTRY_VERIFY_WITH_TIMEOUT(bench.repair->shown().repaired && !bench.repair->busy(), 240'000);
    QVERIFY(!document.repairs().unfinished.bytes);
    whole = outputOfEnd(*bench.repair);
    gain = bench.repair->shown().result->steps.front().gainHeldOutDb;
    QVERIFY(gain);
    bench.window->session().decideRepairs({}, QStringLiteral("repair nothing"));
    bench.window->session().keepCheckpoint(stopped);
    QTRY_VERIFY(bench.window->project().keeper().written());
  }
  const TestWindow window;
  openProject(window, file);
  auto& view = *window->findChild<RepairView*>();
  window.action(ActionId::Repair)->trigger();
  QVERIFY(view.asText().contains("train goes on from there"));
  train(view, *view.findChild<QTableWidget*>());
  QTRY_VERIFY_WITH_TIMEOUT(view.shown().repaired && !view.busy(), 240'000);
  QVERIFY(!window->session().document().repairs().unfinished.bytes);
  QCOMPARE(view.shown().result->steps.front().gainHeldOutDb, gain);
  QVERIFY(std::ranges::equal(outputOfEnd(view).values<float>(), whole.values<float>()));
}

// Also when a project carries them out again, whatever is chosen by then.
void TrainedRepairsTest::theyAreTrainedAsChosen() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  TrainingChoices choices;
  choices.steps = 20;
  choices.scales = ScaleForm::Lsq;
  choices.keepsWeights = true;
  {
    const RepairBench bench;
    QVERIFY(bench.repair->training() == TrainingChoices());
    choose(*bench.repair, choices);
    bench.choose({"train"});
    bench.button("Repair").click();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 240'000);
    QCOMPARE(bench.repair->shown().result->steps.front().end->planned, std::size_t{20});
    bench.steps->selectRow(rowReading(*bench.steps, 0, QStringLiteral("train")));
    if (bench.button("&Keep").isEnabled()) bench.button("&Keep").click();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 240'000);
    QVERIFY(bench.repair->shown().result->steps.front().kept);
    QVERIFY(bench.window->session().document().repairs().training == choices);
    choose(*bench.repair, {});
    saveAs(bench, file);
  }
  const TestWindow window;
  openProject(window, file);
  const auto& view = *window->findChild<RepairView*>();
  QVERIFY(view.training() == TrainingChoices());
  window.action(ActionId::Repair)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(view.shown().result && !view.busy(), 120'000);
  const StepReport& step = view.shown().result->steps.front();
  QVERIFY2(step.kept, step.reason.c_str());
  QVERIFY(window->session().document() == documentIn(file));
}

// Which is told before it happens.
void TrainedRepairsTest::otherChoicesReplaceAStoppedTraining() {
  const RepairBench bench;
  RepairView& view = *bench.repair;
  TrainingChoices choices;
  choices.freezeObserversAfter = 100'000;
  choose(view, choices);
  bench.choose({"train"});
  view.findChild<QSpinBox*>()->setValue(0);
  bench.button("Repair").click();
  const auto& chart = *view.findChild<CurveChart*>();
  QTRY_VERIFY_WITH_TIMEOUT(!chart.content().points.empty(), 120'000);
  Q_EMIT view.cancelRequested();
  QTRY_VERIFY_WITH_TIMEOUT(!view.busy(), 60'000);
  const StoppedTraining& stopped = bench.window->session().document().repairs().unfinished;
  QVERIFY(stopped.bytes);
  QVERIFY(stopped.choices == choices);
  const QString goesOn = QStringLiteral("train goes on from there");
  const QString anew = QStringLiteral("train starts anew and replaces it");
  QVERIFY2(view.asText().contains(goesOn), qPrintable(view.asText()));
  TrainingChoices others = choices;
  others.batch = 4;
  choose(view, others);
  QVERIFY2(view.asText().contains(anew), qPrintable(view.asText()));
  QVERIFY(!view.asText().contains(goesOn));
  // Where nothing is chosen the dialog proposes to go on.
  choose(view, {});
  QVERIFY(view.asText().contains(anew));
  TrainingDialog* dialog = &openTraining(view);
  QVERIFY(dialog->choices() == choices);
  dialog->accept();
  delete dialog;
  QVERIFY(view.asText().contains(goesOn));
}

// A project keeps them, but neither another model nor the next window gets them.
void TrainedRepairsTest::layersAreThoseOfAModel() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  TrainingChoices choices;
  choices.steps = 20;
  const TrainingChoices ofAnyModel = choices;
  {
    const Workbench bench;
    const RepairView& view = bench.view<RepairView>();
    QCOMPARE(trainingButton(view).text(), QStringLiteral("Training…"));
    choices.frozen = {bench.layer(0).name};
    choices.unquantized = {bench.layer(1).name};
    QSignalSpy changed(&view, &RepairView::trainingChanged);
    choose(view, choices);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(trainingButton(view).text(), QStringLiteral("Training… (changed)"));
    saveAs(bench, file);
    bench->close();
  }
  const TestWindow window(false);
  RepairView& view = *window->findChild<RepairView*>();
  QVERIFY(view.training() == ofAnyModel);
  openProject(window, file);
  QVERIFY(view.training() == choices);
  window->session().open(sampleRequest("digits_transformer", 2));
  QVERIFY(view.training() == ofAnyModel);
  // A project that says nothing of them.
  QVERIFY(view.restoreState({}));
  QVERIFY(view.training() == TrainingChoices());
  QCOMPARE(trainingButton(view).text(), QStringLiteral("Training…"));
}

void TrainedRepairsTest::layersNeedNotBeSpeltOut() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(1).node);
  const TrainingDialog& dialog = openTraining(bench.view<RepairView>());
  auto& field = *dialog.findChild<LayerListEdit*>();
  const QString first = text(bench.layer(0).name);
  QTest::keyClicks(&field, first.left(first.size() - 1));
  QCOMPARE(field.completion().currentCompletion(), first);
  Q_EMIT field.completion().activated(first);
  QCOMPARE(field.names(), QStringList{first});
  for (auto* button : dialog.findChildren<QPushButton*>()) {
    if (button->text() == QStringLiteral("Add Selected")) {
      button->click();
      break;
    }
  }
  QCOMPARE(field.names(), (QStringList{first, text(bench.layer(1).name)}));
  QCOMPARE(dialog.choices().frozen, (std::set{bench.layer(0).name, bench.layer(1).name}));
}

QUANTSCOPE_TEST(TrainedRepairsTest)
#include "test_trained_repairs.moc"
