#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `optimize`: by profiles, by measuring, and what goes with what.
class OptimizeCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void byProfiles();
  void byMeasuring();
  void outOfReach();
  void wrongUsage_data();
  void wrongUsage();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

void OptimizeCommandTest::byProfiles() {
  const QString network = sampleFile("digits_mobilenet.onnx");
  const Outcome outcome =
      runCli({"optimize", network, "--criteria", "balanced", "--out", file("c.json")});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json config = readJson(file("c.json"));
  QCOMPARE(config.at("backend"), json("generic"));
  QVERIFY(config.at("pareto").empty());
  const json& why = config.at("why").at("/stem/conv/Conv");
  QCOMPARE(why.at("source"), json("profile"));
  QCOMPARE(why.at("scheme"), json("int8"));
  // It is a configuration like any other.
  const Outcome run = runCli({"analyze", network, "--data", sampleFile("digits_mobilenet.npz"),
                              "--samples", "2", "--config", file("c.json"), "--out", file("out")});
  QVERIFY2(run.status == 0, describe(run));
}

void OptimizeCommandTest::byMeasuring() {
  const QStringList what{"optimize",  sampleFile("digits_mobilenet.onnx"),
                         "--data",    sampleFile("digits_mobilenet.npz"),
                         "--samples", "8"};
  const Outcome outcome =
      runCli(what + QStringList{"--budget", "bits=12", "--out", file("c.json"), "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json config = readJson(file("c.json"));
  QVERIFY(json::parse(outcome.out.toStdString()) == config);
  QVERIFY(config.at("pareto").size() > 5);
  for (const char* key : {"bits", "bytes", "speedup", "drop"}) {
    QVERIFY2(config.at("pareto")[0].contains(key), key);
  }
  const json& why = config.at("why").at("/stem/conv/Conv");
  QCOMPARE(why.at("source"), json("measured"));
  const Outcome text = runCli(what + QStringList{"--max-drop", "0.5", "--out", file("d.json")});
  QVERIFY2(text.status == 0 && text.out.contains("chosen ") && text.out.contains(" dB"),
           describe(text));
}

void OptimizeCommandTest::outOfReach() {
  const Outcome outcome = runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
                                  sampleFile("digits_mobilenet.npz"), "--samples", "4", "--budget",
                                  "bits=7", "--out", file("c.json")});
  const QByteArray fault = faultOfRefusal(outcome, "no configuration has 7 bits", "allow more");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("c.json")));
}

void OptimizeCommandTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* what, const QStringList& options, const QString& expected) {
    QTest::newRow(what) << options << expected;
  };
  row("no goal", {}, "one of --criteria, --budget and --max-drop");
  row("two goals", {"--criteria", "balanced", "--max-drop", "0.1"}, "one of --criteria");
  row("criteria", {"--criteria", "cheap"}, "are no criteria");
  row("budget", {"--budget", "speed=2"}, "neither bits=B nor bytes=N");
  row("drop", {"--max-drop", "2"}, "no share from 0 to 1");
  row("data with profiles", {"--criteria", "balanced", "--data", "random:2"}, "for measuring");
  row("profiles with a budget", {"--budget", "bits=8", "--data", "random:2", "--strategy", "s"},
      "is about profiles");
  row("no data", {"--budget", "bits=8"}, "--data");
}

void OptimizeCommandTest::wrongUsage() {
  QFETCH(const QStringList, options);
  QFETCH(const QString, expected);
  const Outcome outcome =
      runCli(QStringList{"optimize", sampleFile("digits_mobilenet.onnx"), "--out", file("c.json")} +
             options);
  QVERIFY2(outcome.status == 2 && outcome.err.contains(expected), describe(outcome));
}

QUANTSCOPE_TEST(OptimizeCommandTest)
#include "test_optimize_command.moc"
