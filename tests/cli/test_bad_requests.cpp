#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// Configurations, value names and places for results that do not do.
class BadRequestsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void configuration_data();
  void configuration();
  void tooFewSamples();
  void dataName_data();
  void dataName();
  void valueName_data();
  void valueName();
  void noFolderForTheJson();
  void benchBeyondTheBudget();
  void output_data();
  void output();
  void forbiddenFolder();
  void fullDisk_data();
  void fullDisk();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {}  // namespace

void BadRequestsTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void BadRequestsTest::configuration_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("key");
  QTest::newRow("empty") << QByteArray() << "config.json";
  QTest::newRow("no JSON") << QByteArray("quantize everything") << "config.json";
  QTest::newRow("cut off") << QByteArray(R"({"quantscope":1,"default":{)") << "config.json";
  QTest::newRow("a list") << QByteArray("[1]") << "config.json";
  QTest::newRow("no version") << QByteArray("{}") << "quantscope";
  QTest::newRow("another version") << QByteArray(R"({"quantscope":2})") << "quantscope";
  QTest::newRow("unknown key") << QByteArray(R"({"quantscope":1,"backnd":"x86"})") << "backnd";
  QTest::newRow("unknown key inside")
      << QByteArray(R"({"quantscope":1,"default":{"weight":{"typ":"int8"}}})") << "default.weight";
  QTest::newRow("unknown type") << QByteArray(
                                       R"({"quantscope":1,"default":{"weight":{"type":"int9"}}})")
                                << "default.weight.type";
  QTest::newRow("duplicate key") << QByteArray(
                                        R"({"quantscope":1,"backend":"x86","backend":"x86"})")
                                 << "backend";
  QTest::newRow("duplicate node")
      << QByteArray(R"({"quantscope":1,"nodes":{"/Flatten":"fp32","/Flatten":"fp32"}})")
      << "/Flatten";
  QTest::newRow("unknown backend")
      << QByteArray(R"({"quantscope":1,"backend":"abacus"})") << "abacus";
  QTest::newRow("unknown node") << QByteArray(R"({"quantscope":1,"nodes":{"/Nowhere":"fp32"}})")
                                << "/Nowhere";
  QTest::newRow("groups that contradict each other")
      << QByteArray(
             R"({"quantscope":1,"groups":{)"
             R"("join":[["/stem/act/Clip",["/stem/act/Clip","/features/features.0/depthwise/conv/Conv"]]],)"
             R"("part":[["/stem/act/Clip","/features/features.0/depthwise/conv/Conv"]]}})")
      << "groups.part[0]";
  QTest::newRow("deeply nested") << QByteArray(R"({"quantscope":1,"default":)") +
                                        QByteArray(200'000, '[')
                                 << "config.json";
}

void BadRequestsTest::configuration() {
  QFETCH(QByteArray, text);
  QFETCH(QString, key);
  const QString config =
      QString::fromStdString(writeFile(*m_folder, "config.json", text.toStdString()));
  for (const char* command : {"run", "calibrate", "analyze"}) {
    const Outcome outcome = runCli(
        {command, sampleNetwork(), "--data", "random:2", "--config", config, "--out", file("out")});
    const QByteArray fault = faultOfRefusal(outcome, key, "");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY2(outcome.err.contains("config.json"), describe(outcome));
    QVERIFY(!QFile::exists(file("out")));
  }
}

void BadRequestsTest::tooFewSamples() {
  writeFile(*m_folder, "config.json", R"({"quantscope":1,"calibration_samples":100})");
  const QByteArray fault =
      faultOfRefusal(runCli({"analyze", sampleNetwork(), "--data", "random:2", "--config",
                             file("config.json"), "--out", file("out")}),
                     "insufficient data", "calibration_samples");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

void BadRequestsTest::dataName_data() {
  QTest::addColumn<QString>("data");
  QTest::addColumn<QString>("remedy");
  QTest::newRow("missing file") << "none.npz"
                                << "check the path";
  QTest::newRow("missing folder") << "none"
                                  << "check the path";
  QTest::newRow("empty") << ""
                         << "";
  QTest::newRow("no number") << "random:"
                             << "random:8";
  QTest::newRow("none") << "random:0"
                        << "random:8";
  QTest::newRow("words") << "random:many"
                         << "random:8";
  QTest::newRow("too many") << "random:99999999999999999999"
                            << "random:8";
}

void BadRequestsTest::dataName() {
  QFETCH(QString, data);
  QFETCH(QString, remedy);
  const QByteArray fault = faultOfRefusal(
      runCli({"run", sampleNetwork(), "--data", data, "--out", file("out")}), data, remedy);
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

void BadRequestsTest::valueName_data() {
  QTest::addColumn<QString>("names");
  QTest::addColumn<QString>("told");
  QTest::newRow("unknown") << "nowhere"
                           << "'nowhere'";
  QTest::newRow("second unknown") << "logits,nowhere"
                                  << "'nowhere'";
  QTest::newRow("empty") << ""
                         << "''";
  QTest::newRow("comma") << "logits,"
                         << "''";
  QTest::newRow("blank") << "logits, image"
                         << "' image'";
}

void BadRequestsTest::valueName() {
  QFETCH(QString, names);
  QFETCH(QString, told);
  const QByteArray fault = faultOfRefusal(runCli({"run", sampleNetwork(), "--data", "random:2",
                                                  "--values", names, "--out", file("out")}),
                                          told, "inspect");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

// Before anything else is written.
void BadRequestsTest::noFolderForTheJson() {
  const Outcome outcome = runCli({"calibrate", sampleNetwork(), "--data", "random:1", "--out",
                                  file("c.json"), "--json", file("none/x.json")});
  const QByteArray fault = faultOfRefusal(outcome, "none", "create the folder");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("c.json")));
}

void BadRequestsTest::benchBeyondTheBudget() {
  const Outcome outcome = runCli({"bench", "kernels", "--size", "64", "--memory", "100"});
  const QByteArray fault = faultOfRefusal(outcome, "take 128 MiB", "use a smaller --size");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadRequestsTest::output_data() {
  QTest::addColumn<QString>("command");
  QTest::addColumn<QString>("out");
  QTest::addColumn<QString>("place");
  QTest::newRow("run: a file in the way") << "run"
                                          << "taken"
                                          << "taken";
  QTest::newRow("run: a file above") << "run"
                                     << "taken/below"
                                     << "taken";
  QTest::newRow("run: a name too long") << "run" << QString(300, 'a') << "aaa";
  QTest::newRow("analyze: a file in the way") << "analyze"
                                              << "taken"
                                              << "taken";
  QTest::newRow("analyze: a file above") << "analyze"
                                         << "taken/below/it"
                                         << "taken";
  QTest::newRow("calibrate: a folder") << "calibrate"
                                       << "."
                                       << "name a file";
  QTest::newRow("calibrate: no such folder") << "calibrate"
                                             << "none/c.json"
                                             << "none";
  QTest::newRow("calibrate: a file above") << "calibrate"
                                           << "taken/c.json"
                                           << "taken";
}

void BadRequestsTest::output() {
  QFETCH(QString, command);
  QFETCH(QString, out);
  QFETCH(QString, place);
  writeFile(*m_folder, "taken", "a file");
  const QByteArray fault = faultOfRefusal(
      runCli({command, sampleNetwork(), "--data", "random:2", "--out", file(out)}), place, "");
  QVERIFY2(fault.isEmpty(), fault);
  QCOMPARE(entriesBelow(m_folder->path()), QStringList{"taken"});
}

void BadRequestsTest::forbiddenFolder() {
  if (::geteuid() == 0) QSKIP("skipped: nothing is forbidden to root");
  QDir().mkdir(file("locked"));
  QFile::setPermissions(file("locked"), QFile::ReadOwner | QFile::ExeOwner);
  for (const char* out : {"locked", "locked/below"}) {
    const QByteArray fault =
        faultOfRefusal(runCli({"run", sampleNetwork(), "--data", "random:2", "--out", file(out)}),
                       "locked", "folder");
    QVERIFY2(fault.isEmpty(), fault);
  }
}

void BadRequestsTest::fullDisk_data() {
  QTest::addColumn<QStringList>("command");
  QTest::newRow("calibrate") << QStringList{"calibrate", sampleNetwork(), "--data", "random:2",
                                            "--out"};
  QTest::newRow("inspect") << QStringList{"inspect", sampleNetwork(), "--json"};
  QTest::newRow("bench") << QStringList{"bench",     "engine", sampleNetwork(),
                                        "--seconds", "0.1",    "--json"};
}

void BadRequestsTest::fullDisk() {
  QFETCH(QStringList, command);
  const QByteArray fault = faultOfRefusal(runCli(command << "/dev/full"),
                                          "the disk is full (/dev/full)", "free some space");
  QVERIFY2(fault.isEmpty(), fault);
}

QUANTSCOPE_TEST(BadRequestsTest)
#include "test_bad_requests.moc"
