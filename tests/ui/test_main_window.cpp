#include <QDockWidget>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "app/gui/files/recent_files.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "ui/window_fixture.h"
#include "widgets/ranges/ranges_view.h"
#include "widgets/shell/card_button.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/shell/start_page.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

void dropOn(QWidget& window, const QString& path) {
  QMimeData mime;
  mime.setUrls({QUrl::fromLocalFile(path)});
  const QPoint middle = window.rect().center();
  QDragEnterEvent enter(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  if (!enter.isAccepted()) return;
  QDropEvent drop(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
}

QString headline(const TestWindow& window) {
  return headlineText(window->headline().items());
}

std::size_t layerCount(const TestWindow& window) {
  const SnapshotPtr& snapshot = window->session().snapshot();
  return snapshot ? snapshot->result->layers.size() : 0;
}

}  // namespace

class MainWindowTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void startsWithTheStartPage();
  void aSampleIsOneClickAway();
  void showsWhatIsOpen();
  void tabPassesOverPanelsBehindOthers();
  void findsTheDataBesideTheModel();
  void invitesDataWhereThereIsNone();
  void remembersTheDataOfAModel();
  void aDroppedModelOpens();
  void droppedDataReplacesTheData();
  void otherFilesAreNotTaken();
  void aBadFileIsToldAndLeavesTheResults();
  void aBadFileAtTheStartLeavesTheStartPage();
  void badDataOffersToChooseOther();
  void whereDataFailsNothingIsAwaited();
  void theShownViewHasTheFocus();
  void runningAgainKeepsTheResults();
  void closingTheModelGoesBackToTheStart();
  void aWindowClosesWhileItsJobRuns();
};

void MainWindowTest::startsWithTheStartPage() {
  const TestWindow window;
  QVERIFY(window->startPage().isVisible());
  QVERIFY(!window->tabs().isVisible());
  for (const QDockWidget* dock : window->findChildren<QDockWidget*>()) {
    QVERIFY2(!dock->isVisible(), qPrintable(dock->objectName()));
  }
}

void MainWindowTest::aSampleIsOneClickAway() {
  const TestWindow window;
  const auto cards = window->startPage().findChildren<CardButton*>();
  QVERIFY(cards.size() >= 2);
  cards.constFirst()->click();
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(window->tabs().isVisible());
}

void MainWindowTest::showsWhatIsOpen() {
  const TestWindow window;
  window.openSample(4);
  QVERIFY(!window->startPage().isVisible());
  QCOMPARE(window->windowTitle(), QStringLiteral("digits_mobilenet.onnx"));
  QVERIFY2(headline(window).contains(QStringLiteral("4 samples")), qPrintable(headline(window)));
  QVERIFY(RecentFiles::instance().paths().constFirst().endsWith(
      QStringLiteral("digits_mobilenet.onnx")));
}

void MainWindowTest::tabPassesOverPanelsBehindOthers() {
  TestWindow window;
  window.openSample(1);
  auto* inspector = window->findChild<QDockWidget*>(QStringLiteral("inspector"));
  auto* configuration = window->findChild<QDockWidget*>(QStringLiteral("configuration"));
  QTRY_VERIFY(inspector->isEnabled());
  QTRY_VERIFY(!configuration->isEnabled());
  configuration->raise();
  QTRY_VERIFY(configuration->isEnabled());
  QTRY_VERIFY(!inspector->isEnabled());
}

void MainWindowTest::findsTheDataBesideTheModel() {
  const TestWindow window;
  window->opener().openModel(samplePath("digits_mobilenet.onnx"));
  QVERIFY(window.messages().contains(QStringLiteral("digits_mobilenet.npz")));
  window.waitForEnd();
  QVERIFY2(headline(window).contains(QStringLiteral("accuracy")), qPrintable(headline(window)));
}

void MainWindowTest::invitesDataWhereThereIsNone() {
  const QTemporaryDir folder;
  const QString lonely = folder.filePath(QStringLiteral("lonely.onnx"));
  QVERIFY(QFile::copy(samplePath("digits_mobilenet.onnx"), lonely));
  const TestWindow window;
  window->opener().openModel(lonely);
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Structure);
  const std::vector<Message> messages = window->messages().messages();
  QCOMPARE(messages.size(), std::size_t{1});
  QCOMPARE(messages[0].remedies.size(), std::size_t{1});
  window.dialogs->data = samplePath("digits_mobilenet.npz");
  messages[0].remedies[0].run();
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
}

void MainWindowTest::remembersTheDataOfAModel() {
  const TestWindow window;
  window->opener().openModel(samplePath("digits_mobilenet.onnx"));
  window.waitForEnd();
  window.dialogs->data = QStringLiteral("random:3");
  window.action(ActionId::ChooseData)->trigger();
  window.waitForEnd();
  window.action(ActionId::CloseModel)->trigger();
  window->opener().openModel(samplePath("digits_mobilenet.onnx"));
  window.waitForEnd();
  QCOMPARE(window->session().request().data, std::string("random:3"));
  QVERIFY2(headline(window).contains(QStringLiteral("synthetic")), qPrintable(headline(window)));
  // Neither data that was taken back, nor data that could not be read.
  for (const QString& left : {QStringLiteral("random:5"), QStringLiteral("/nowhere.npz")}) {
    window.dialogs->data = left;
    window.action(ActionId::ChooseData)->trigger();
    window.waitForEnd();
    if (window->session().undoStack().canUndo()) window.action(ActionId::Undo)->trigger();
    window.waitForEnd();
    window.action(ActionId::CloseModel)->trigger();
    window->opener().openModel(samplePath("digits_mobilenet.onnx"));
    window.waitForEnd();
    QCOMPARE(window->session().request().data, std::string("random:3"));
  }
}

void MainWindowTest::aDroppedModelOpens() {
  const TestWindow window;
  dropOn(*window.window, samplePath("digits_transformer.onnx"));
  window.waitForEnd();
  QCOMPARE(window->windowTitle(), QStringLiteral("digits_transformer.onnx"));
}

void MainWindowTest::droppedDataReplacesTheData() {
  const QTemporaryDir folder;
  const QString copy = folder.filePath(QStringLiteral("other.npz"));
  QVERIFY(QFile::copy(samplePath("digits_mobilenet.npz"), copy));
  const TestWindow window;
  window.openSample(4);
  dropOn(*window.window, copy);
  window.waitForEnd();
  QCOMPARE(window->session().snapshot()->request.data, copy.toStdString());
}

void MainWindowTest::otherFilesAreNotTaken() {
  const TestWindow window;
  dropOn(*window.window, samplePath("README.md"));
  QVERIFY(!window->session().hasModel());
  dropOn(*window.window, samplePath("digits_mobilenet.npz"));  // data of which model?
  QVERIFY(!window->session().hasModel());
}

void MainWindowTest::aBadFileIsToldAndLeavesTheResults() {
  const QTemporaryDir folder;
  const QString bad =
      QString::fromStdString(writeFile(folder, QStringLiteral("bad.onnx"), "no model at all"));
  const TestWindow window;
  window.openSample(4);
  const std::size_t layers = layerCount(window);
  window->opener().openModel(bad);
  window.waitForEnd();
  QVERIFY2(window.messages().contains(QStringLiteral("bad.onnx")), qPrintable(window.messages()));
  QCOMPARE(window->windowTitle(), QStringLiteral("digits_mobilenet.onnx"));
  QCOMPARE(layerCount(window), layers);
  QVERIFY(!headline(window).contains(QStringLiteral("out of date")));
}

void MainWindowTest::aBadFileAtTheStartLeavesTheStartPage() {
  const TestWindow window;
  window->opener().openModel(QStringLiteral("/nowhere/at/all.onnx"));
  window.waitForEnd();
  QVERIFY(window->startPage().isVisible());
  QVERIFY(!window.messages().isEmpty());
  QVERIFY(window->messages().isVisible());
  QVERIFY(RecentFiles::instance().paths().isEmpty());
}

void MainWindowTest::badDataOffersToChooseOther() {
  const QTemporaryDir folder;
  const std::string bad = writeFile(folder, QStringLiteral("bad.npz"), "no archive");
  const TestWindow window;
  window.openSample(4);
  window.dialogs->data = QString::fromStdString(bad);
  window.action(ActionId::ChooseData)->trigger();
  window.waitForEnd();
  const std::vector<Message> messages = window->messages().messages();
  QCOMPARE(messages.size(), std::size_t{1});
  QVERIFY(messages[0].severity == Message::Severity::Error);
  QVERIFY2(headline(window).contains(QStringLiteral("4 samples")), qPrintable(headline(window)));
  QStringList remedies;
  for (const Message::Remedy& remedy : messages[0].remedies) remedies << remedy.title;
  QVERIFY2(remedies.contains(QStringLiteral("Choose Data…")), qPrintable(remedies.join(u',')));
}

void MainWindowTest::whereDataFailsNothingIsAwaited() {
  const QTemporaryDir folder;
  const QString model = folder.filePath(QStringLiteral("bad.onnx"));
  QVERIFY(QFile::copy(samplePath("digits_mobilenet.onnx"), model));
  writeFile(folder, QStringLiteral("bad.npz"), "no archive");
  const TestWindow window;
  window->opener().openModel(model);
  window.waitForEnd();
  const auto says = [](const QWidget& view, const QString& begin) {
    return std::ranges::any_of(view.findChildren<QLabel*>(), [&](const QLabel* label) {
      return label->isVisible() && label->text().startsWith(begin);
    });
  };
  auto& ranges = *window->findChild<RangesView*>();
  window->tabs().setCurrentWidget(&ranges);
  QTRY_VERIFY(says(ranges, QStringLiteral("The data could not be used.")));
  window->session().restart();
  QVERIFY(says(ranges, QStringLiteral("Calibrating")));
  window.waitForEnd();
}

// Also where the last window has left another tab in front, which has no rows at first.
void MainWindowTest::theShownViewHasTheFocus() {
  {
    const TestWindow first;
    first->tabs().setCurrentWidget(first->findChild<RangesView*>());
    first->close();
  }
  const TestWindow window(false);
  window.openSample(2);
  QTRY_VERIFY(window->tabs().currentWidget()->isAncestorOf(window->focusWidget()));
  QVERIFY(qobject_cast<QTableView*>(window->focusWidget()) != nullptr);
}

void MainWindowTest::runningAgainKeepsTheResults() {
  const TestWindow window;
  window.openSample(8);
  QList<AnalysisSnapshot::Stage> stages;
  connect(&window->session().controller(), &AnalysisController::snapshotChanged, this,
          [&] { stages << window->session().snapshot()->stage; });
  window.action(ActionId::Run)->trigger();
  window.waitForEnd();
  QVERIFY(!stages.isEmpty());
  QVERIFY(std::ranges::all_of(
      stages, [](auto stage) { return stage == AnalysisSnapshot::Stage::Complete; }));
}

void MainWindowTest::closingTheModelGoesBackToTheStart() {
  const TestWindow window;
  window.openSample(4);
  window.action(ActionId::CloseModel)->trigger();
  QVERIFY(window->startPage().isVisible());
  QCOMPARE(window->windowTitle(), QStringLiteral("Quantscope"));
  QVERIFY(!window->toolBar().isVisible());
  window.openSample(4);
  QVERIFY(window->toolBar().isVisible());
}

void MainWindowTest::aWindowClosesWhileItsJobRuns() {
  TestWindow window;
  window->session().open(sampleRequest("digits_mobilenet", 400));
  QVERIFY(window->session().controller().running());
  QVERIFY(window->close());
  window.window.reset();
}

QUANTSCOPE_TEST(MainWindowTest)
#include "test_main_window.moc"
