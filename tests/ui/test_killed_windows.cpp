#include <signal.h>

#include <QProcess>
#include <QtTest>

#include "support/test_main.h"
#include "ui/edit_steps.h"
#include "ui/project_window.h"

using namespace quantscope;
using namespace quantscope::test;

/// Windows that are killed during edits: only the edit in flight is lost.
class KilledWindowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aProjectIsWhole();
  void workWithoutANameIsWhole();
};

namespace {

constexpr int kPatience = 120'000;

/// Starts a window, kills it after so long, and returns how many steps it had on disk for sure.
std::optional<qulonglong> killWindow(const QString& file, unsigned seed, int milliseconds) {
  QProcess child;
  child.start(QUANTSCOPE_WINDOW_CHILD, {file, QString::number(seed)});
  while (!child.canReadLine()) {
    if (!child.waitForReadyRead(kPatience)) return std::nullopt;
  }
  child.readLine();
  QTest::qSleep(milliseconds);
  ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
  child.waitForFinished(kPatience);
  const QList<QByteArray> lines = child.readAllStandardOutput().split('\n');
  return lines.size() < 2 ? 0 : lines[lines.size() - 2].toULongLong();
}

Document after(Document document, unsigned seed, qulonglong count) {
  EditSteps steps(seed);
  for (qulonglong i = 0; i < count; ++i) EditSteps::carryOut(steps.next(), document);
  return document;
}

bool sameWork(const Document& a, const Document& b) {
  return a.journal() == b.journal() && a.position() == b.position() &&
         a.configuration() == b.configuration();
}

int rounds() {
  const int asked = qEnvironmentVariableIntValue("QUANTSCOPE_KILLS");
  return asked > 0 ? asked : 4;
}

}  // namespace

void KilledWindowsTest::aProjectIsWhole() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  {
    const Workbench bench;
    saveAs(bench, file);
  }
  OrderedWork::instance().finish();
  std::mt19937 random(5);
  Document known = ProjectFile(file.toStdString()).document();
  qulonglong written = 0;
  for (int round = 0; round < rounds(); ++round) {
    const unsigned seed = random();
    const auto told = killWindow(file, seed, static_cast<int>(random() % 400));
    QVERIFY(told);
    const Document found = ProjectFile(file.toStdString()).document();
    const bool whole = sameWork(found, after(known, seed, *told)) ||
                       sameWork(found, after(known, seed, *told + 1));
    QVERIFY2(whole, QByteArray::number(round) + ", after " + QByteArray::number(*told));
    known = found;
    written += *told;
  }
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"work.quantscope"});
  qInfo("%llu edits were on disk", written);
}

void KilledWindowsTest::workWithoutANameIsWhole() {
  const auto told = killWindow(QStringLiteral("-"), 9, 800);
  QVERIFY(told);
  const std::vector<UnsavedWork> all = findUnsavedWork();
  if (*told == 0) QSKIP("nothing was written in time");
  QVERIFY(!all.empty() && all[0].crashed);
  const Document found = documentIn(all[0].file);
  const bool whole = sameWork(found, after(Document(), 9, *told)) ||
                     sameWork(found, after(Document(), 9, *told + 1));
  QVERIFY2(whole, QByteArray::number(*told));
  // The next start offers it.
  const TestWindow window(false);
  window->project().offerCrashed();
  QVERIFY2(window.messages().contains(QStringLiteral("Restore the work on digits_mobilenet.onnx")),
           qPrintable(window.messages()));
  for (const UnsavedWork& work : all) QFile::remove(work.file);
}

QUANTSCOPE_TEST(KilledWindowsTest)
#include "test_killed_windows.moc"
