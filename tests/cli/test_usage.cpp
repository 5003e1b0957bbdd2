#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope::test;

/// Wrong usage is status 2; asking for help or the version is status 0.
class UsageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void wrongUsage_data();
  void wrongUsage();
  void help_data();
  void help();
  void version();
  void theManPageHasEveryCommand();
  void everyFormatIsDescribed();
  void completionFollowsTheHelp();
};

void UsageTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("problem");
  const QString model = sampleFile("digits_mobilenet.onnx");
  QTest::newRow("nothing") << QStringList{} << "no command is given: see `quantscope-cli --help`";
  QTest::newRow("unknown command")
      << QStringList{"digest"} << "there is no command 'digest': see `quantscope-cli --help`";
  QTest::newRow("unknown bench")
      << QStringList{"bench", "memory"}
      << "there is no command 'memory': see `quantscope-cli bench --help`";
  QTest::newRow("no bench") << QStringList{"bench"} << "no command is given";
  QTest::newRow("no model") << QStringList{"inspect"} << "MODEL is required";
  QTest::newRow("no data") << QStringList{"run", model, "--out", "x"} << "--data is required";
  QTest::newRow("no out") << QStringList{"analyze", model, "--data", "random:1"}
                          << "--out is required";
  QTest::newRow("unknown option") << QStringList{"inspect", model, "--deep"}
                                  << "--deep: see `quantscope-cli inspect --help`";
  QTest::newRow("unknown option of a bench")
      << QStringList{"bench", "engine", model, "--deep"} << "quantscope-cli bench engine --help";
  QTest::newRow("a second model") << QStringList{"inspect", model, model} << model;
  QTest::newRow("unknown detectors")
      << QStringList{"analyze", model, "--data", "random:1", "--out", "x", "--detectors", "tflite"}
      << "--detectors: 'tflite' is neither quantscope nor pytorch";
  QTest::newRow("two results in one file")
      << QStringList{"calibrate", model,    "--data", "random:1",
                     "--out",     "x.json", "--json", "./x.json"}
      << "--json: './x.json' is what --out writes to";
  QTest::newRow("calibration of the float network")
      << QStringList{"run", model, "--data", "random:1", "--out", "x", "--calibration", "y.npz"}
      << "--calibration: the float network";
  QTest::newRow("batches of the float network")
      << QStringList{"run", model, "--data", "random:1", "--out", "x", "--batch", "2"}
      << "--batch: the float network";
  QTest::newRow("calibration of float dumps")
      << QStringList{"compare", model, QDir::tempPath(), "--data",  "random:1",
                     "--out",   "x",   "--calibration",  "random:1"}
      << "--calibration: the float network";
  QTest::newRow("batches of float dumps")
      << QStringList{"compare", model, QDir::tempPath(), "--data", "random:1",
                     "--out",   "x",   "--batch",        "2"}
      << "--batch: the float network";
  for (const char* option : {"--config", "--calibration", "--batch"}) {
    QTest::addRow("%s of two models", option)
        << QStringList{"compare", model, model, "--data", "random:1", "--out", "x", option, "2"}
        << QString(option) + ": two models run as they are";
  }
  QTest::newRow("option without argument") << QStringList{"inspect", model, "--json"} << "--json";
  const auto badNumber = [&](const char* option, const char* number, const QString& problem) {
    QTest::addRow("%s %s", option, number)
        << QStringList{"calibrate", model, "--data", "random:1", "--out", "x", option, number}
        << problem;
  };
  badNumber("--threads", "0", "'0' is no whole number from 1 to 1024");
  badNumber("--threads", "two", "'two' is no whole number");
  badNumber("--threads", "1.5", "'1.5' is no whole number");
  badNumber("--samples", "0", "--samples: '0' is no whole number from 1");
  badNumber("--samples", "8x", "'8x' is no whole number");
  badNumber("--samples", "99999999999999999999", "is no whole number");
  badNumber("--batch", "0", "--batch: '0'");
  badNumber("--seed", "-1", "'-1' is no whole number from 0");
}

void UsageTest::wrongUsage() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, problem);
  const Outcome outcome = runCli(arguments);
  QVERIFY2(outcome.status == 2, describe(outcome));
  QVERIFY2(outcome.out.isEmpty(), describe(outcome));
  QVERIFY2(outcome.err.startsWith("error: ") && outcome.err.count('\n') == 1, describe(outcome));
  QVERIFY2(outcome.err.contains(problem), describe(outcome));
}

void UsageTest::help_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QStringList>("told");
  const QStringList common{"--threads N", "--memory MIB", "--quiet"};
  const QStringList data{"--data DATA", "--preprocess FILE", "--samples N", "--seed N"};
  QTest::newRow("program") << QStringList{"--help"} << QStringList{"inspect", "run",    "calibrate",
                                                                   "analyze", "groups", "bench"};
  QTest::newRow("inspect") << QStringList{"inspect", "--help"}
                           << common + QStringList{"MODEL", "--json FILE"};
  QTest::newRow("run") << QStringList{"run", "--help"}
                       << common + data +
                              QStringList{"--out FOLDER", "--values", "--config FILE",
                                          "--calibration DATA", "--batch N"};
  QTest::newRow("calibrate") << QStringList{"calibrate", "--help"}
                             << common + data + QStringList{"--out FILE", "--config", "--batch N"};
  QTest::newRow("analyze") << QStringList{"analyze", "--help"}
                           << common + data +
                                  QStringList{"--out FOLDER", "--labels FILE", "--calibration DATA",
                                              "--detectors MODE", "--config FILE"};
  QTest::newRow("tensor") << QStringList{"tensor", "--help"}
                          << common + QStringList{"IN",
                                                  "--type TYPE",
                                                  "--asymmetric",
                                                  "--granularity GRANULARITY",
                                                  "--observer OBSERVER",
                                                  "--range LO:HI",
                                                  "--convention CONVENTION",
                                                  "--out FILE",
                                                  "--json FILE"};
  QTest::newRow("export") << QStringList{"export", "--help"}
                          << common + data +
                                 QStringList{"--format FORMAT", "--opset N", "--out PATH",
                                             "--calibration DATA", "--config FILE"};
  QTest::newRow("import") << QStringList{"import", "--help"}
                          << common + QStringList{"FILE", "--model MODEL", "--out FILE"};
  QTest::newRow("groups") << QStringList{"groups", "--help"}
                          << common + QStringList{"MODEL", "--annotations FILE", "--json FILE"};
  QTest::newRow("bench") << QStringList{"bench", "--help"} << QStringList{"engine"};
  QTest::newRow("bench engine") << QStringList{"bench", "engine", "--help"}
                                << common + QStringList{"MODEL", "--json FILE", "--seconds"};
}

void UsageTest::help() {
  QFETCH(QStringList, arguments);
  QFETCH(QStringList, told);
  const Outcome outcome = runCli(arguments);
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  for (const QString& word : told) {
    QVERIFY2(outcome.out.contains(word), word.toUtf8() + " is missing: " + describe(outcome));
  }
}

void UsageTest::version() {
  const Outcome outcome = runCli({"--version"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QCOMPARE(outcome.out, QString(QUANTSCOPE_VERSION "\n"));
}

void UsageTest::theManPageHasEveryCommand() {
  QFile page(QUANTSCOPE_SAMPLES_DIRECTORY "/../resources/quantscope-cli.1");
  QVERIFY(page.open(QFile::ReadOnly));
  const QString text = QString::fromUtf8(page.readAll());
  const QStringList lines = runCli({"--help"}).out.section("Subcommands:", 1).split('\n');
  int commands = 0;
  for (const QString& line : lines) {
    const QString command = line.trimmed().section(' ', 0, 0);
    if (command.isEmpty()) continue;
    ++commands;
    QVERIFY2(text.contains(QRegularExpression("\n\\.B " + command + "\\b")), qPrintable(command));
  }
  QVERIFY(commands > 10);
}

void UsageTest::everyFormatIsDescribed() {
  const QString help = runCli({"export", "--help"}).out;
  const QStringList formats = help.section('{', 1).section('}', 0, 0).simplified().split(',');
  QVERIFY(formats.size() > 10);
  for (const char* name : {"resources/quantscope-cli.1", "README.md"}) {
    QFile file(QString(QUANTSCOPE_SAMPLES_DIRECTORY "/../") + name);
    QVERIFY(file.open(QFile::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    for (const QString& format : formats) {
      const QRegularExpression whole("[\" ` ]" + QRegularExpression::escape(format.trimmed()) +
                                     "[\" `\n]");
      QVERIFY2(text.contains(whole), qPrintable(format + " in " + name));
    }
  }
}

void UsageTest::completionFollowsTheHelp() {
  QProcess shell;
  shell.start("bash", {"-c", "source " QUANTSCOPE_SAMPLES_DIRECTORY
                             "/../resources/quantscope-cli.bash; t() { COMP_WORDS=(\"$@\"); "
                             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _quantscope_cli; echo "
                             "\"${COMPREPLY[*]}\"; }; c=" QUANTSCOPE_CLI
                             "; t $c comp; t $c export --fo; t $c export m.onnx --format qdq; "
                             "t $c bench k; t $c bench engine --js"});
  QVERIFY(shell.waitForFinished());
  QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
           QString("compare\n--format\nqdq-onnx qdq-onnx-mobile\nkernels\n--json\n"));
}

QUANTSCOPE_TEST(UsageTest)
#include "test_usage.moc"
