#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// Ctrl-C ends a command soon, and nothing is left that was not there before.
class CancelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void leavesNothing_data();
  void leavesNothing();
};

namespace {

// One second on an idle machine; other tests run beside this one.
constexpr double kPatienceSeconds = 5;

}  // namespace

void CancelTest::leavesNothing_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<bool>("resultsThere");
  QTest::addColumn<int>("signal");
  const auto row = [](const char* name, const QStringList& command, bool there, int signal) {
    QTest::newRow(name) << command << there << signal;
  };
  row("run", {"run", "--values", "all"}, false, SIGINT);
  row("run over old results", {"run", "--values", "all"}, true, SIGINT);
  row("run with a configuration", {"run", "--config", sampleFile("per_tensor.json")}, false,
      SIGINT);
  row("run terminated", {"run", "--values", "all"}, false, SIGTERM);
  row("calibrate", {"calibrate"}, false, SIGINT);
  row("calibrate over old results", {"calibrate"}, true, SIGINT);
  row("analyze", {"analyze"}, false, SIGINT);
  row("analyze over old results", {"analyze"}, true, SIGINT);
  row("analyze after calibration", {"analyze", "--calibration", "random:2"}, false, SIGINT);
}

void CancelTest::leavesNothing() {
  QFETCH(QStringList, command);
  QFETCH(bool, resultsThere);
  QFETCH(int, signal);
  QTemporaryDir folder;
  const bool writesFile = command.front() == "calibrate";
  const QString out = folder.filePath(writesFile ? "result.json" : "results");
  if (resultsThere) writeFile(folder, writesFile ? "result.json" : "results/report.json", "old");
  const QStringList before = entriesBelow(folder.path());
  command << sampleFile("digits_mobilenet.onnx") << "--data"
          << "random:1000000"
          << "--out" << out;
  double seconds = 0;
  const Outcome outcome = interruptCli(command, signal, seconds);
  QVERIFY2(outcome.status == 130, describe(outcome));
  QCOMPARE(outcome.err, QString("cancelled\n"));
  QVERIFY2(outcome.out.isEmpty(), describe(outcome));
  QVERIFY2(seconds < kPatienceSeconds, QByteArray::number(seconds));
  QCOMPARE(entriesBelow(folder.path()), before);
  if (resultsThere) {
    QCOMPARE(readBytes(writesFile ? out : out + "/report.json"), std::string("old"));
  }
}

QUANTSCOPE_TEST(CancelTest)
#include "test_cancel.moc"
