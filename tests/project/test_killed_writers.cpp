#include <signal.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "project/project_file.h"
#include "project/random_work.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Other processes on a project: killed while they write, or keeping it open.
class KilledWritersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsLostButWhatIsInFlight();
  void onlyOneProcessWrites();
};

namespace {

constexpr int kPatience = 60'000;

void startChild(QProcess& child, const QStringList& arguments) {
  child.start(QUANTSCOPE_PROJECT_CHILD, arguments);
  child.waitForStarted(kPatience);
}

bool waitForLine(QProcess& child) {
  while (!child.canReadLine()) {
    if (!child.waitForReadyRead(kPatience)) return false;
  }
  return true;
}

void killChild(QProcess& child) {
  ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
  child.waitForFinished(kPatience);
}

Document after(Document document, unsigned seed, qulonglong steps) {
  std::mt19937 random(seed);
  for (qulonglong i = 0; i < steps; ++i) workOn(document, random);
  return document;
}

}  // namespace

void KilledWritersTest::nothingIsLostButWhatIsInFlight() {
  const int rounds = qEnvironmentVariableIntValue("QUANTSCOPE_KILLS");
  QTemporaryDir folder;
  const QString file = folder.filePath("work.quantscope");
  ProjectFile::create(file.toStdString());
  Document known;
  std::mt19937 random(7);
  qulonglong written = 0;
  for (int round = 0; round < (rounds > 0 ? rounds : 12); ++round) {
    const unsigned seed = random();
    QProcess child;
    startChild(child, {"edit", file, QString::number(seed)});
    QVERIFY(waitForLine(child));
    QCOMPARE(child.readLine(), QByteArray("ready\n"));
    QTest::qSleep(static_cast<int>(random() % 200));
    killChild(child);
    const QList<QByteArray> lines = child.readAllStandardOutput().split('\n');
    // The last line is cut off or empty.
    const qulonglong told = lines.size() < 2 ? 0 : lines[lines.size() - 2].toULongLong();
    const Document found = ProjectFile(file.toStdString()).document();
    const bool whole = found == after(known, seed, told) || found == after(known, seed, told + 1);
    QVERIFY2(whole, QByteArray::number(round) + ", after " + QByteArray::number(told));
    known = found;
    written += told;
  }
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"work.quantscope"});
  qInfo("%llu changes were on disk", written);
  QVERIFY(written > 0);
}

void KilledWritersTest::onlyOneProcessWrites() {
  QTemporaryDir folder;
  const QString name = folder.filePath("work.quantscope");
  const std::string file = name.toStdString();
  ProjectFile::create(file);
  QProcess child;
  startChild(child, {"hold", name});
  QVERIFY(waitForLine(child));
  VERIFY_ERROR(ProjectFile{file}, "the project is open in another window or program");
  VERIFY_ERROR(ProjectFile::create(file), "the project is open in another window or program");
  // To read it is another matter.
  QVERIFY(ProjectFile(file, ProjectFile::Access::Read).document() == Document());
  killChild(child);
  ProjectFile free(file);
  VERIFY_ERROR(ProjectFile{file}, "the project is open in another window or program");
  Document document = free.document();
  document.apply(Dismissal{"outlier/a"});
  free.record(document);
  free.flush();
  QVERIFY(ProjectFile(file, ProjectFile::Access::Read).document() == document);
}

QUANTSCOPE_TEST(KilledWritersTest)
#include "test_killed_writers.moc"
