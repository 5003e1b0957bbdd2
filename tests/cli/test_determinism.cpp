// Whatever the commands write has the same bytes for any number of threads, memory budget and SIMD
// target. The catalogue's models need QUANTSCOPE_MODELS.

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "kernels/simd_target.h"
#include "support/test_main.h"

using namespace quantscope::test;

namespace {

constexpr const char* kTargetVariable = "QUANTSCOPE_SIMD_TARGET";

/// A command's results: bytes by file name.
using Files = QMap<QString, QByteArray>;

/// How a job may run without a trace in its results.
struct Way {
  QStringList options;
  QByteArray target;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const char* threads : {"1", "2", "7"}) all.push_back({{"--threads", threads}, {}});
  all.push_back({{"--threads", "7", "--memory", "1"}, {}});
  const QString targets = QString::fromStdString(quantscope::simdTargetNames());
  for (const QString& target : targets.split(", ")) {
    all.push_back({{"--threads", "2"}, target.toLatin1()});
  }
  return all;
}

}  // namespace

class CommandDeterminismTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void sameBytes_data();
  void sameBytes();
  void anotherBatchIsSeen();
  void unknownTargets();

 private:
  Files filesOf(const QStringList& command, const Way& way);

  std::unique_ptr<QTemporaryDir> m_folder;
  QByteArray m_target;
  int m_runs = 0;
};

void CommandDeterminismTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_target = qgetenv(kTargetVariable);
}

void CommandDeterminismTest::cleanup() {
  if (m_target.isNull()) {
    qunsetenv(kTargetVariable);
  } else {
    qputenv(kTargetVariable, m_target);
  }
}

Files CommandDeterminismTest::filesOf(const QStringList& command, const Way& way) {
  const QDir folder(m_folder->filePath(QString::number(++m_runs)));
  folder.mkpath(".");
  if (!way.target.isEmpty()) qputenv(kTargetVariable, way.target);
  const bool aFolder = command[0] == "run" || command[0] == "analyze";
  const QString target = command[0] == "sensitivity" ? "--json" : "--out";
  const Outcome outcome = runCli(
      command + way.options + QStringList{target, folder.filePath(aFolder ? "out" : "out.json")});
  // More threads than cores are no reason for a warning.
  if (outcome.status != 0 || outcome.err.contains("TBB")) {
    qFatal("%s", describe(outcome).constData());
  }
  Files files;
  for (const QString& entry : entriesBelow(folder.path())) {
    const QString file = folder.filePath(entry);
    if (QFileInfo(file).isFile()) {
      files[entry] = QByteArray::fromStdString(readBytes(file));
    }
  }
  return files;
}

void CommandDeterminismTest::sameBytes_data() {
  QTest::addColumn<QStringList>("command");
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  const auto rows = [](const QString& name, const QString& path, const char* samples) {
    const QStringList data{path + ".onnx", "--data", path + ".npz", "--samples", samples};
    const auto row = [&](const char* what, const QStringList& command) {
      QTest::addRow("%s, %s", what, qPrintable(name)) << command;
    };
    row("run", QStringList{"run"} + data + QStringList{"--values", "all"});
    row("calibrate", QStringList{"calibrate"} + data);
    row("calibrate in batches", QStringList{"calibrate"} + data + QStringList{"--batch", "3"});
    row("analyze", QStringList{"analyze"} + data);
  };
  rows("digits_mobilenet", sampleFile("digits_mobilenet"), "7");
  rows("digits_transformer", sampleFile("digits_transformer"), "7");
  const QStringList few{sampleFile("digits_mobilenet.onnx"), "--data",
                        sampleFile("digits_mobilenet.npz"), "--samples", "3"};
  const auto row = [&](const char* name, const QStringList& command) {
    QTest::addRow("%s", name) << command;
  };
  row("sensitivity", QStringList{"sensitivity"} + few + QStringList{"--types", "int8,int4"});
  row("sensitivity around a configuration",
      QStringList{"sensitivity"} + few +
          QStringList{"--types", "fp32", "--around", "config", "--config",
                      sampleFile("per_tensor.json")});
  row("optimize", QStringList{"optimize"} + few + QStringList{"--budget", "bits=12"});
  if (models.isEmpty()) return;
  for (const char* name : {"cifar10_resnet8_bn", "vww_mobilenet025_96_bn"}) {
    rows(name, models + "/" + name, "4");
  }
}

void CommandDeterminismTest::sameBytes() {
  QFETCH(QStringList, command);
  Files expected;
  for (const Way& way : ways()) {
    const Files files = filesOf(command, way);
    QVERIFY(!files.isEmpty());
    if (expected.isEmpty()) expected = files;
    QCOMPARE(files.keys(), expected.keys());
    for (auto file = files.begin(); file != files.end(); ++file) {
      QVERIFY2(
          file.value() == expected[file.key()],
          qPrintable(file.key() + " differs with " + way.options.join(' ') + ' ' + way.target));
    }
  }
}

// The comparison would not pass whatever it is given.
void CommandDeterminismTest::anotherBatchIsSeen() {
  const QString path = sampleFile("digits_mobilenet");
  const QStringList command{"calibrate", path + ".onnx", "--data", path + ".npz", "--samples", "7"};
  QVERIFY(filesOf(command, {{"--batch", "1"}, {}}) != filesOf(command, {{"--batch", "3"}, {}}));
}

void CommandDeterminismTest::unknownTargets() {
  qputenv(kTargetVariable, "MMX");
  const Outcome outcome = runCli({"inspect", sampleFile("digits_mobilenet.onnx")});
  const QByteArray fault = faultOfRefusal(outcome, "'MMX'", "use one of");
  QVERIFY2(fault.isEmpty(), fault);
}

QUANTSCOPE_TEST(CommandDeterminismTest)
#include "test_determinism.moc"
