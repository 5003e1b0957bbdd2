#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <random>

#include "cli/ranks.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// A sweep that is killed, alone or one of its ranks, and goes on from its rows to the same file.
/// QUANTSCOPE_KILLS says how often (default 6).
class KilledSweepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void aProcess();
  void aRank();
  void aRankThatOthersSurvive();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QStringList measureTo(const QString& result) const;
  QStringList resumed() const {
    return measureTo("killed.json") + QStringList{"--resume", file("rows")};
  }
  void startAnew() const { QFile::remove(file("rows")); }
  int kills() const;
  bool isWhole() const { return readBytes(file("killed.json")) == readBytes(file("whole.json")); }
  std::size_t rowsKept() const {
    return QFile::exists(file("rows")) ? readJson(file("rows")).at("nodes").size() : 0;
  }
  /// Kept rows never become fewer; `most` is their number so far.
  void checkRows(std::size_t& most) const;

  std::unique_ptr<QTemporaryDir> m_folder;
  int m_samples = 24;
  int m_milliseconds = 0;  // of a whole run
  std::mt19937 m_random{11};
};

namespace {

// After so many kills a sweep starts anew, so that early moments come as often as late ones.
constexpr int kKillsOfASweep = 5;

QList<qint64> childrenOf(qint64 process) {
  QFile list(QStringLiteral("/proc/%1/task/%1/children").arg(process));
  if (!list.open(QIODevice::ReadOnly)) return {};
  QList<qint64> children;
  for (const QByteArray& each : list.readAll().split(' ')) {
    if (!each.isEmpty()) children += each.toLongLong();
  }
  return children;
}

// Its number among the ranks.
int rankOf(qint64 process) {
  QFile file(QStringLiteral("/proc/%1/environ").arg(process));
  if (!file.open(QIODevice::ReadOnly)) return -1;
  const QByteArray key = "OMPI_COMM_WORLD_RANK=";
  for (const QByteArray& each : file.readAll().split('\0')) {
    if (each.startsWith(key)) return each.mid(key.size()).toInt();
  }
  return -1;
}

void kill(qint64 process) {
  ::kill(static_cast<pid_t>(process), SIGKILL);
}

}  // namespace

QStringList KilledSweepsTest::measureTo(const QString& result) const {
  return {"sensitivity", sampleFile("digits_mobilenet.onnx"),
          "--data",      sampleFile("digits_mobilenet.npz"),
          "--samples",   QString::number(m_samples),
          "--config",    file("generic.json"),
          "--types",     "int8,int4,fp16",
          "--json",      file(result)};
}

int KilledSweepsTest::kills() const {
  const int wanted = qEnvironmentVariableIntValue("QUANTSCOPE_KILLS");
  return wanted > 0 ? wanted : 6;
}

void KilledSweepsTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_samples = 24;
  writeFile(*m_folder, "generic.json", R"({"quantscope": 1, "backend": "generic"})");
  QElapsedTimer timer;
  timer.start();
  const Outcome whole = runCli(measureTo("whole.json"));
  m_milliseconds = static_cast<int>(timer.elapsed());
  QVERIFY2(whole.status == 0, describe(whole));
}

void KilledSweepsTest::checkRows(std::size_t& most) const {
  const std::size_t rows = rowsKept();
  QVERIFY2(rows >= most, qPrintable(QString("%1 rows of %2").arg(rows).arg(most)));
  most = rows;
}

void KilledSweepsTest::aProcess() {
  int killed = 0;
  std::size_t rows = 0;
  std::size_t mostRows = 0;
  for (int i = 0; i < kills(); ++i) {
    if (i % kKillsOfASweep == 0) {
      startAnew();
      rows = 0;
    }
    QProcess process;
    process.start(QUANTSCOPE_CLI, resumed());
    QVERIFY(process.waitForStarted());
    if (!process.waitForFinished(static_cast<int>(m_random() % m_milliseconds) + 1)) {
      ++killed;
      kill(process.processId());
      QVERIFY(process.waitForFinished(10'000));
      checkRows(rows);
      mostRows = std::max(mostRows, rows);
    }
    if (i % kKillsOfASweep + 1 < kKillsOfASweep && i + 1 < kills()) continue;
    const Outcome outcome = runCli(resumed());
    QVERIFY2(outcome.status == 0 && isWhole(), describe(outcome));
  }
  QVERIFY(killed > 0);
  QVERIFY(kills() < 2 * kKillsOfASweep || mostRows > 0);
}

// The launcher ends the others.
void KilledSweepsTest::aRank() {
  constexpr int kRanks = 3;
  int killed = 0;
  for (int i = 0; i < kills(); ++i) {
    if (i % kKillsOfASweep == 0) startAnew();
    QProcess launcher;
    if (!startOnRanks(launcher, kRanks, resumed())) QSKIP("no mpirun");
    if (!launcher.waitForFinished(static_cast<int>(m_random() % (2 * m_milliseconds)) + 1)) {
      QList<qint64> ranks;
      QTRY_VERIFY_WITH_TIMEOUT(!(ranks = childrenOf(launcher.processId())).isEmpty() ||
                                   launcher.state() == QProcess::NotRunning,
                               60'000);
      if (!ranks.isEmpty()) {
        ++killed;
        kill(ranks[static_cast<int>(m_random() % ranks.size())]);
      }
      // OpenMPI 4.1 may wait for itself after a rank has died early.
      if (!launcher.waitForFinished(20'000)) {
        for (const qint64 rank : childrenOf(launcher.processId())) kill(rank);
        kill(launcher.processId());
        QVERIFY(launcher.waitForFinished(10'000));
      }
    }
    if (i % kKillsOfASweep + 1 < kKillsOfASweep && i + 1 < kills()) continue;
    const std::optional<Outcome> outcome = runOnRanks(kRanks, resumed());
    if (!outcome) QSKIP("a program without MPI");
    QVERIFY2(outcome->status == 0 && isWhole(), describe(*outcome));
  }
  QVERIFY(killed > 0);
}

// The launcher lets them live: they do its work, and the file is there. Without the first rank the
// others end.
void KilledSweepsTest::aRankThatOthersSurvive() {
  constexpr int kRanks = 3;
  m_samples = 96;  // enough for rows to come long before the end
  const Outcome whole = runCli(measureTo("whole.json"));
  QVERIFY2(whole.status == 0, describe(whole));
  for (const int victim : {1, 2, 0}) {
    startAnew();
    QFile::remove(file("killed.json"));
    QProcess launcher;
    if (!startOnRanks(launcher, kRanks, resumed(), {"--enable-recovery"})) QSKIP("no mpirun");
    QTRY_VERIFY_WITH_TIMEOUT(rowsKept() > 0 || launcher.state() == QProcess::NotRunning, 120'000);
    qint64 process = 0;
    for (const qint64 each : childrenOf(launcher.processId())) {
      if (rankOf(each) == victim) process = each;
    }
    if (process != 0) kill(process);
    const bool ended = launcher.waitForFinished(120'000);
    const Outcome outcome = outcomeOf(launcher, ended);
    if (outcome.err.contains("built without MPI")) QSKIP("a program without MPI");
    QVERIFY2(ended && process != 0, describe(outcome));
    if (victim == 0) {
      QVERIFY2(outcome.err.contains("the first rank has ended"), describe(outcome));
    } else {
      QVERIFY2(isWhole(), describe(outcome));
    }
  }
}

QUANTSCOPE_TEST(KilledSweepsTest)
#include "test_killed_sweeps.moc"
