#include <QDockWidget>
#include <QMimeData>
#include <QUndoView>
#include <QtTest>

#include "analysis/analysis_result_bytes.h"
#include "app/gui/comparison.h"
#include "app/gui/files/recent_files.h"
#include "detectors/findings/detector_report_bytes.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/shell/start_page.h"

using namespace quantscope;
using namespace quantscope::test;

/// Projects in the window: saved, opened, followed by every change.
class ProjectsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void everyChangeIsInTheFile();
  void reopeningShowsEverythingAtOnce();
  void anEditAfterTheResultsIsAnalysed();
  void undoGoesOnAfterARestart();
  void theWindowIsAsItWas();
  void namesAreChangedAndUndone();
  void everyWayToOpen_data();
  void everyWayToOpen();
  void savedToAnotherFile();
  void theTitleTellsWhatIsUnsaved();
  void aDragIsOneEdit();
  void anOpenProjectComesToTheFront();
  void theModelGivesWay();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

std::string bytesOf(const SnapshotPtr& snapshot) {
  return analysisResultToBytes(*snapshot->result) + detectorReportToBytes(*snapshot->detected);
}

}  // namespace

void ProjectsTest::init() {
  OrderedWork::instance().finish();
  m_folder = std::make_unique<QTemporaryDir>();
}

void ProjectsTest::everyChangeIsInTheFile() {
  const Workbench bench;
  saveAs(bench, file("work.quantscope"));
  QCOMPARE(bench.dialogs->asked.constLast().section(u'/', -1),
           QStringLiteral("digits_mobilenet.quantscope"));
  const auto isThere = [&] {
    settleFiles(bench);
    bench->project().save();
    settleFiles(bench);
    Document document = documentIn(file("work.quantscope"));
    document.setFiles(bench->session().document().files());
    return document == bench->session().document();
  };
  QVERIFY(isThere());
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  QVERIFY(isThere());
  bench->session().setDismissed("outlier/somewhere", true);
  QVERIFY(isThere());
  bench.action(ActionId::Undo)->trigger();
  QVERIFY(isThere());
  bench.action(ActionId::KeepConfiguration)->trigger();
  bench.waitForEnd();
  QVERIFY(isThere());
  QCOMPARE(documentIn(file("work.quantscope")).named().size(), std::size_t(1));
  bench.dialogs->data = QStringLiteral("random:3");
  bench.action(ActionId::ChooseData)->trigger();
  bench.waitForEnd();
  QVERIFY(isThere());
  QCOMPARE(documentIn(file("work.quantscope")).files().data.path, std::string("random:3"));
}

void ProjectsTest::reopeningShowsEverythingAtOnce() {
  std::string shown;
  QString headline;
  {
    const Workbench bench("digits_mobilenet", 4);
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    bench->session().restart();
    bench.waitForGains();
    shown = bytesOf(bench->session().snapshot());
    saveAs(bench, file("work.quantscope"));
  }
  const TestWindow window;
  QStringList jobs;
  int snapshots = 0;
  AnalysisController& controller = window->session().controller();
  connect(&controller, &AnalysisController::snapshotChanged, this, [&] {
    ++snapshots;
    QVERIFY(controller.snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  });
  connect(&controller, &AnalysisController::progressChanged, this,
          [&](const Progress& progress) { jobs << QString::fromStdString(progress.stage); });
  openProject(window, file("work.quantscope"));
  QVERIFY(!window->session().stale());
  QVERIFY(bytesOf(window->session().snapshot()) == shown);
  QTRY_VERIFY(!controller.running());
  QCOMPARE(snapshots, 1);
  for (const QString& stage : jobs) {
    QVERIFY2(!stage.contains(QStringLiteral("alibrat")) && !stage.contains(QStringLiteral("nalys")),
             qPrintable(stage));
  }
  QVERIFY(window->startPage().isHidden());
  QCOMPARE(window->windowTitle(), QStringLiteral("work – digits_mobilenet.onnx"));
}

void ProjectsTest::anEditAfterTheResultsIsAnalysed() {
  Configuration last;
  {
    const Workbench bench;
    saveAs(bench, file("work.quantscope"));
    QTRY_VERIFY(ProjectFile(file("work.quantscope").toStdString(), ProjectFile::Access::Read)
                    .outline()
                    .has_value());
    // What comes last has no time to be analysed.
    bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
    bench->session().precision().setType(QuantType::Float32);
    bench->session().controller().cancel();
    last = bench->session().request().config;
  }
  const TestWindow window;
  openProject(window, file("work.quantscope"));
  QVERIFY(window->session().request().config == last);
  // Opening waits for the first complete result only, which may come before the causes of errors.
  window->session().controller().start(window->session().request());
  // The first samples of the last configuration come before the whole.
  const auto settled = [&] {
    Session& session = window->session();
    return !session.stale() && !session.controller().running() &&
           session.snapshot()->stage == AnalysisSnapshot::Stage::Complete &&
           session.snapshot()->edited == AnalysisSnapshot::Edited::All;
  };
  QTRY_VERIFY(settled());
  const SnapshotPtr cold = sampleSnapshots(window->session().request()).back();
  QVERIFY(analysisResultToBytes(*window->session().snapshot()->result) ==
          analysisResultToBytes(*cold->result));
}

void ProjectsTest::undoGoesOnAfterARestart() {
  Configuration start;
  Configuration second;
  {
    const Workbench bench;
    start = bench->session().request().config;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    second = bench->session().request().config;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    bench.action(ActionId::Undo)->trigger();
    saveAs(bench, file("work.quantscope"));
  }
  const TestWindow window;
  openProject(window, file("work.quantscope"));
  QVERIFY(window->session().request().config == second);
  QVERIFY(window.action(ActionId::Redo)->isEnabled());
  QVERIFY(window.action(ActionId::Undo)->text().contains(QStringLiteral("float")));
  QCOMPARE(window->findChild<QUndoView*>()->model()->rowCount(), 4);
  window.action(ActionId::Undo)->trigger();
  window.action(ActionId::Undo)->trigger();
  QVERIFY(window->session().request().config == start);
  QVERIFY(!window.action(ActionId::Undo)->isEnabled());
  window.waitForEnd();
  for (int i = 0; i < 3; ++i) window.action(ActionId::Redo)->trigger();
  QVERIFY(!window.action(ActionId::Redo)->isEnabled());
  window.waitForEnd();
  QVERIFY(!window->session().stale());
}

void ProjectsTest::theWindowIsAsItWas() {
  std::size_t layer = 0;
  QPointF centre;
  double scale = 0;
  DrawingOptions drawing;
  {
    const Workbench bench;
    QVERIFY(bench.bringUp(Spot::Graph));
    GraphView& graph = bench.view<GraphView>();
    graph.setDrawingOptions(collapseAll(graph.drawingOptions(), *graph.snapshot()));
    QTRY_VERIFY(bench.graphIsSettled());
    layer = bench.worstLayer();
    bench->session().selection().selectNode(bench.layer(layer).node);
    QTRY_VERIFY(bench.graphIsSettled());
    bench.canvas().setView(bench.scene().boxes()[1].rect.center(), 0.7);
    centre = bench.canvas().camera().centre();
    scale = bench.canvas().camera().scale();
    drawing = graph.drawingOptions();
    QVERIFY(bench.bringUp(Spot::Layers));
    bench->session().options().setKind(ErrorKind::Accumulated);
    bench->session().options().setMetricIndex(2);
    bench->findChild<QDockWidget*>(QStringLiteral("outline"))->hide();
    saveAs(bench, file("work.quantscope"));
  }
  const Workbench bench;
  openProject(bench, file("work.quantscope"));
  QCOMPARE(bench.selectedLayer().value(), layer);
  QCOMPARE(bench->tabs().currentIndex(), 3);
  QVERIFY(bench->session().options().kind() == ErrorKind::Accumulated);
  QCOMPARE(bench->session().options().metricIndex(), std::size_t(2));
  QVERIFY(bench->findChild<QDockWidget*>(QStringLiteral("outline"))->isHidden());
  bench->tabs().setCurrentIndex(0);
  QTRY_VERIFY(bench.view<GraphView>().drawingOptions() == drawing);
  QTRY_VERIFY(bench.graphIsSettled());
  QTRY_COMPARE(bench.canvas().camera().scale(), scale);
  QVERIFY((bench.canvas().camera().centre() - centre).manhattanLength() < 1);
}

void ProjectsTest::namesAreChangedAndUndone() {
  const Workbench bench;
  const Configuration start = bench->session().request().config;
  bench.action(ActionId::KeepConfiguration)->trigger();
  saveAs(bench, file("work.quantscope"));
  Comparison& comparison = bench->comparison();
  const QString first = comparison.names().constFirst();
  comparison.rename(first, QStringLiteral("start"));
  QCOMPARE(comparison.names(), QStringList{"start"});
  QCOMPARE(comparison.name(), QStringLiteral("start"));
  comparison.duplicate(QStringLiteral("start"));
  comparison.remove(QStringLiteral("start"));
  QCOMPARE(comparison.names(), QStringList{"start copy"});
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("delete start"));
  bench.action(ActionId::CloseModel)->trigger();
  openProject(bench, file("work.quantscope"));
  QCOMPARE(comparison.names(), QStringList{"start copy"});
  bench.action(ActionId::Undo)->trigger();
  QCOMPARE(comparison.names(), (QStringList{"start", "start copy"}));
  QVERIFY(bench->session().document().named().at("start") == start);
  bench.action(ActionId::Undo)->trigger();
  bench.action(ActionId::Undo)->trigger();
  QCOMPARE(comparison.names(), QStringList{first});
  bench.action(ActionId::Undo)->trigger();
  QVERIFY(comparison.names().isEmpty());
  for (int i = 0; i < 4; ++i) bench.action(ActionId::Redo)->trigger();
  QCOMPARE(comparison.names(), QStringList{"start copy"});
  // A name that is taken is not taken twice.
  bench.action(ActionId::KeepConfiguration)->trigger();
  comparison.rename(comparison.names().constLast(), comparison.names().constFirst());
  QVERIFY(!comparison.names().isEmpty());
}

void ProjectsTest::everyWayToOpen_data() {
  QTest::addColumn<QString>("way");
  for (const char* way : {"dialog", "drop", "recent", "command line"}) {
    QTest::newRow(way) << QString::fromLatin1(way);
  }
}

void ProjectsTest::everyWayToOpen() {
  QFETCH(QString, way);
  const QString project = file("work.quantscope");
  {
    const Workbench bench;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    saveAs(bench, project);
  }
  QCOMPARE(RecentFiles::instance().paths().constFirst(), project);
  const TestWindow window(false);
  if (way == QStringLiteral("dialog")) {
    window.dialogs->model = project;
    window.action(ActionId::OpenModel)->trigger();
  } else if (way == QStringLiteral("drop")) {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(project)});
    const QPoint middle = window->rect().center();
    QDragEnterEvent enter(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.window.get(), &drop);
  } else if (way == QStringLiteral("recent")) {
    Q_EMIT window->startPage().pathChosen(RecentFiles::instance().paths().constFirst());
  } else {
    const CommandLine line = parseCommandLine({QStringLiteral("quantscope"), project});
    QVERIFY(line.problem.isEmpty());
    window->opener().openCommandLine(line);
  }
  QTRY_COMPARE(window->project().keeper().path(), project);
  window.waitForEnd();
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
  QCOMPARE(RecentFiles::instance().paths().constFirst(), project);
  const CommandLine more = parseCommandLine(
      {QStringLiteral("quantscope"), project, QStringLiteral("--data"), QStringLiteral("x.npz")});
  QVERIFY(more.problem.contains(QStringLiteral("a project has data")));
}

void ProjectsTest::savedToAnotherFile() {
  const Workbench bench;
  saveAs(bench, file("first.quantscope"));
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  saveAs(bench, file("second.quantscope"));
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  bench.action(ActionId::SaveProject)->trigger();
  settleFiles(bench);
  QTRY_VERIFY(bench.messages().contains(QStringLiteral("Saved to second.quantscope")));
  QCOMPARE(documentIn(file("first.quantscope")).journal().size(), std::size_t(1));
  QCOMPARE(documentIn(file("second.quantscope")).journal().size(), std::size_t(2));
  // The first one is free again.
  const ProjectFile free(file("first.quantscope").toStdString());
  QVERIFY(!free.readOnly());
}

void ProjectsTest::theTitleTellsWhatIsUnsaved() {
  const Workbench bench;
  QVERIFY(!bench->isWindowModified());
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  QVERIFY(bench->isWindowModified());
  QCOMPARE(bench->windowTitle(), QStringLiteral("digits_mobilenet.onnx[*]"));
  saveAs(bench, file("work.quantscope"));
  QVERIFY(!bench->isWindowModified());
  QCOMPARE(bench->windowTitle(), QStringLiteral("work – digits_mobilenet.onnx"));
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  QVERIFY(!bench->isWindowModified());
  QVERIFY(findUnsavedWork().empty());
}

void ProjectsTest::aDragIsOneEdit() {
  const Workbench bench;
  saveAs(bench, file("work.quantscope"));
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  auto& chart = *bench->findChild<HistogramChart*>();
  const double high = *bench.layer(bench.worstLayer()).representableMax;
  for (int i = 10; i > 5; --i) Q_EMIT chart.rangeDragged(-high, high * i / 10);
  settleFiles(bench);
  QVERIFY(documentIn(file("work.quantscope")).journal().empty());
  Q_EMIT chart.rangeChosen(-high, high / 2);
  bench.action(ActionId::SaveProject)->trigger();
  settleFiles(bench);
  QCOMPARE(documentIn(file("work.quantscope")).journal().size(), std::size_t(1));
}

void ProjectsTest::anOpenProjectComesToTheFront() {
  const Workbench bench;
  saveAs(bench, file("work.quantscope"));
  const TestWindow window(false);
  window->opener().openPath(file("work.quantscope"));
  settleFiles(window);
  QVERIFY(!window->session().hasModel());
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  // Other programs are told of.
  const ProjectFile other([&] {
    ProjectFile::create(file("other.quantscope").toStdString());
    return file("other.quantscope").toStdString();
  }());
  window->opener().openPath(file("other.quantscope"));
  QTRY_VERIFY(window.messages().contains(QStringLiteral("is open in another window or program")));
  QVERIFY(!window->session().hasModel());
}

// A bad model leaves the work of the project that was open.
void ProjectsTest::theModelGivesWay() {
  const Workbench bench;
  saveAs(bench, file("work.quantscope"));
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  const Document document = bench->session().document();
  QFile bad(file("bad.onnx"));
  QVERIFY(bad.open(QFile::WriteOnly) && bad.write("no model") > 0);
  bad.close();
  bench->opener().openModel(bad.fileName());
  QTRY_VERIFY(bench.messages().contains(QStringLiteral("bad.onnx")));
  QTRY_COMPARE(bench->project().keeper().path(), file("work.quantscope"));
  bench.waitForEnd();
  QVERIFY(bench->session().document().journal() == document.journal());
  QVERIFY2(bench.messages().contains(QStringLiteral("bad.onnx")), qPrintable(bench.messages()));
  QVERIFY(bench->session().snapshot()->request.config == document.configuration());
}

QUANTSCOPE_TEST(ProjectsTest)
#include "test_projects.moc"
