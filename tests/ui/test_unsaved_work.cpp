#include <QtTest>

#include "support/test_main.h"
#include "ui/project_window.h"
#include "widgets/shell/card_button.h"
#include "widgets/shell/start_page.h"

using namespace quantscope;
using namespace quantscope::test;

/// Work without a name is never lost: it is kept, listed and offered again.
class UnsavedWorkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lookingLeavesNothing();
  void everyEditIsKept();
  void aClosedWindowLeavesItOnTheStartPage();
  void anotherModelDoesNotDropIt();
  void aCrashIsOffered();
  void aNameEndsIt();
  void itIsDeletedOnlyWhenAsked();
  void anEditWhileTheFileIsMade();
};

namespace {

// The one piece of work that a window keeps at the moment.
QString openUnsaved() {
  OrderedWork::instance().finish();
  const QFileInfo any(openPlaceOf(QStringLiteral("any")));
  const QFileInfoList files =
      any.dir().entryInfoList({QStringLiteral("*.quantscope")}, QDir::Files, QDir::Time);
  return files.isEmpty() ? QString() : files.constFirst().filePath();
}

// Another model, without data.
QString lonelyModel() {
  static const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("lonely.onnx"));
  if (!QFile::exists(file)) QFile::copy(samplePath("digits_transformer.onnx"), file);
  return file;
}

void editWorst(const Workbench& bench) {
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
}

void choose(const TestWindow& window, const QString& remedy) {
  for (const Message& message : window->messages().messages()) {
    for (const Message::Remedy& offered : message.remedies) {
      if (offered.title == remedy) return offered.run();
    }
  }
  QFAIL(qPrintable(remedy + QStringLiteral(" is not among: ") + window.messages()));
}

}  // namespace

void UnsavedWorkTest::lookingLeavesNothing() {
  {
    const Workbench bench;
    bench->session().selection().selectNode(bench.layer(2).node);
    settleFiles(bench);
  }
  QVERIFY(openUnsaved().isEmpty());
  QVERIFY(findUnsavedWork().empty());
}

void UnsavedWorkTest::everyEditIsKept() {
  const Workbench bench;
  editWorst(bench);
  settleFiles(bench);
  editWorst(bench);
  bench->session().setDismissed("outlier/somewhere", true);
  const QString file = openUnsaved();
  QVERIFY(!file.isEmpty());
  const auto journal = [&] { return documentIn(file).journal().size(); };
  QTRY_COMPARE(journal(), std::size_t(3));
  // A window works on it: nobody else is to take it.
  QVERIFY(findUnsavedWork().empty());
}

void UnsavedWorkTest::aClosedWindowLeavesItOnTheStartPage() {
  Document document;
  {
    const Workbench bench;
    editWorst(bench);
    document = bench->session().document();
    bench->close();
    QVERIFY2(bench.dialogs->asked.isEmpty(), "a question where nothing would be lost");
  }
  OrderedWork::instance().finish();
  const std::vector<UnsavedWork> all = findUnsavedWork();
  QCOMPARE(all.size(), std::size_t(1));
  QCOMPARE(all[0].model, QStringLiteral("digits_mobilenet.onnx"));
  QVERIFY(!all[0].crashed);
  const TestWindow window(false);
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  auto* card = window->startPage().findChild<CardButton*>();
  QCOMPARE(card->accessibleName().section(u',', 0, 0), QStringLiteral("digits_mobilenet.onnx"));
  card->click();
  QTRY_VERIFY(window->session().hasModel());
  window.waitForEnd();
  QVERIFY(window->session().document().journal() == document.journal());
  QVERIFY(window->isWindowModified());
  QVERIFY(findUnsavedWork().empty());
}

void UnsavedWorkTest::anotherModelDoesNotDropIt() {
  const Workbench bench;
  editWorst(bench);
  const Document document = bench->session().document();
  bench->opener().openModel(lonelyModel());
  QVERIFY2(bench.messages().contains(QStringLiteral("Your changes on digits_mobilenet.onnx are")),
           qPrintable(bench.messages()));
  bench.waitForEnd();
  QVERIFY(!bench->isWindowModified());
  choose(bench, QStringLiteral("Go Back to Them"));
  QTRY_COMPARE(bench->windowTitle(), QStringLiteral("digits_mobilenet.onnx[*]"));
  bench.waitForEnd();
  QVERIFY(bench->session().document().journal() == document.journal());
  QVERIFY(bench->session().snapshot()->request.config == document.configuration());
}

void UnsavedWorkTest::aCrashIsOffered() {
  {
    const Workbench bench;
    editWorst(bench);
    settleFiles(bench);
    // As it lies there when the window is killed.
    QVERIFY(QFile::copy(openUnsaved(), openUnsaved() + QStringLiteral(".copy.quantscope")));
  }
  OrderedWork::instance().finish();
  for (const UnsavedWork& work : findUnsavedWork()) {
    if (!work.crashed) QVERIFY(QFile::remove(work.file));
  }
  const TestWindow window(false);
  window->project().offerCrashed();
  const QString today = QTime::currentTime().toString(QStringLiteral("HH"));
  QVERIFY2(
      window.messages().startsWith(QStringLiteral("Restore the work on digits_mobilenet.onnx")),
      qPrintable(window.messages()));
  QVERIFY2(window.messages().contains(today + u':') || QTime::currentTime().minute() == 0,
           qPrintable(window.messages()));
  choose(window, QStringLiteral("Restore"));
  QTRY_VERIFY(window->session().hasModel());
  window.waitForEnd();
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
}

void UnsavedWorkTest::aNameEndsIt() {
  const QTemporaryDir folder;
  {
    const Workbench bench;
    editWorst(bench);
    settleFiles(bench);
    const QString unsaved = openUnsaved();
    QVERIFY(!unsaved.isEmpty());
    bench.action(ActionId::SaveProject)->trigger();
    QVERIFY(bench.dialogs->asked.constLast().startsWith(QStringLiteral("project ")));
    saveAs(bench, folder.filePath(QStringLiteral("named.quantscope")));
    QTRY_VERIFY(!QFile::exists(unsaved));
    editWorst(bench);
  }
  OrderedWork::instance().finish();
  QVERIFY(findUnsavedWork().empty());
  QCOMPARE(documentIn(folder.filePath(QStringLiteral("named.quantscope"))).journal().size(),
           std::size_t(2));
}

void UnsavedWorkTest::itIsDeletedOnlyWhenAsked() {
  {
    const Workbench bench;
    editWorst(bench);
  }
  OrderedWork::instance().finish();
  const TestWindow window(false);
  window->project().discardUnsaved();
  QCOMPARE(window.dialogs->asked.size(), 1);
  QCOMPARE(findUnsavedWork().size(), std::size_t(1));
  window.dialogs->loses = true;
  window->project().discardUnsaved();
  QVERIFY(findUnsavedWork().empty());
}

// Nothing that is done in the moment in which the file is made gets lost.
void UnsavedWorkTest::anEditWhileTheFileIsMade() {
  std::vector<Document> documents;
  for (const bool waits : {false, true}) {
    const Workbench bench;
    bench->session().setDismissed("outlier/first", true);
    if (waits) settleFiles(bench);
    bench->session().setDismissed("outlier/second", true);
    documents.push_back(bench->session().document());
    bench->opener().openModel(lonelyModel());
    OrderedWork::instance().finish();
    QCOMPARE(findUnsavedWork().size(), std::size_t(1));
    QVERIFY(documentIn(findUnsavedWork()[0].file).journal() == documents.back().journal());
  }
}

QUANTSCOPE_TEST(UnsavedWorkTest)
#include "test_unsaved_work.moc"
