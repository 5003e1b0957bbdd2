#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// No command writes over what it reads, or twice to one file.
class SeparateFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refused_data();
  void refused();
  void filesOfAProject();
  void theFileToResumeFromMayBeTheResult();
};

namespace {

/// Copies of what commands read, in a folder of their own.
void writeInputs(const QTemporaryDir& folder) {
  QVERIFY(QFile::copy(sampleNetwork(), folder.filePath("m.onnx")));
  QVERIFY(QFile::copy(sampleFile("digits_mobilenet.npz"), folder.filePath("d.npz")));
  for (const char* name : {"c.json", "cost.json", "p.json", "a.json", "b.json", "x.npy", "y.npy"}) {
    writeFile(folder, name, name);
  }
  QDir(folder.path()).mkdir("out");
  writeFile(folder, "out/model.onnx", "m");
  writeFile(folder, "out/config.json", "c");
  std::filesystem::create_symlink("m.onnx", folder.filePath("link.onnx").toStdString());
  std::filesystem::create_symlink("out", folder.filePath("other").toStdString());
}

std::map<QString, std::string> bytesBelow(const QString& folder) {
  std::map<QString, std::string> bytes;
  QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    const QString name = files.next();
    bytes[name] = readBytes(name);
  }
  return bytes;
}

}  // namespace

void SeparateFilesTest::refused_data() {
  QTest::addColumn<QString>("arguments");
  QTest::addColumn<QString>("problem");
  const auto row = [](const char* name, const QString& arguments, const QString& problem) {
    QTest::newRow(name) << arguments << problem;
  };
  const QString search = "optimize @m.onnx --data @d.npz --budget bits=9 ";
  row("model", search + "--out @m.onnx", "--out: '@m.onnx' is what MODEL reads");
  row("model, by another name", search + "--out @./out/../m.onnx", "'@m.onnx' is what MODEL reads");
  row("model, by a link", search + "--out @link.onnx", "'@m.onnx' is what MODEL reads");
  row("a link to the model", "inspect @link.onnx --json @m.onnx",
      "--json: '@link.onnx' is what MODEL reads");
  row("data", search + "--out @d.npz", "--out: '@d.npz' is what --data reads");
  row("calibration", "calibrate @m.onnx --data random:1 --out @o --json @o/../o",
      "--json: '@o/../o' is what --out writes to");
  row("configuration", search + "--config @c.json --out @c.json", "is what --config reads");
  row("costs", search + "--cost @cost.json --out @cost.json", "is what --cost reads");
  row("profiles", "optimize @m.onnx --criteria balanced --profiles @p.json --out @o --json @p.json",
      "--json: '@p.json' is what --profiles reads");
  row("strategy", "optimize @m.onnx --criteria balanced --strategy @p.json --out @p.json",
      "--out: '@p.json' is what --strategy reads");
  row("result as the model", "sensitivity @m.onnx --data @d.npz --types int8 --json @m.onnx",
      "--json: '@m.onnx' is what MODEL reads");
  row("kept rows", "sensitivity @m.onnx --data @d.npz --types int8 --resume @d.npz",
      "--resume: '@d.npz' is what --data reads");
  row("a shard", "merge @a.json @b.json --json @b.json", "--json: '@b.json' is what FILES reads");
  row("labels", "analyze @m.onnx --data @d.npz --labels @x.npy --accept @x.npy --out @o",
      "--accept: '@x.npy' is what --labels reads");
  row("in the folder", "analyze @m.onnx --data @d.npz --accept @out/report.json --out @other",
      "--accept: '@out/report.json' is what --out writes to");
  row("project in the folder",
      "analyze @m.onnx --data @d.npz --project @o/heatmap.png --json @j --out @o",
      "--project: '@o/heatmap.png' is what --out writes to");
  row("configuration in the folder",
      "repair @m.onnx --data @d.npz --config @out/config.json --out @out",
      "--out: '@out/config.json' is what --config reads");
  row("model in the folder", "train @out/model.onnx --data @d.npz --out @other",
      "--out: '@out/model.onnx' is what MODEL reads");
  row("checkpoint", "train @m.onnx --data @d.npz --checkpoint @m.onnx --out @o",
      "--checkpoint: '@m.onnx' is what MODEL reads");
  row("array", "tensor @x.npy --out @x.npy", "--out: '@x.npy' is what IN reads");
  row("codes", "tensor @x.npy --out @z.npy --codes @x.npy", "--codes: '@x.npy' is what IN reads");
  row("float model of an import", "import @c.json --model @m.onnx --out @m.onnx",
      "--out: '@m.onnx' is what --model reads");
  row("export", "export @m.onnx --data @d.npz --format csv --out @m.onnx", "is what MODEL reads");
  row("differing configurations", "config diff @a.json @b.json --json @a.json",
      "is what BEFORE reads");
  row("standard output", "calibrate @m.onnx --data random:1 --out -",
      "--out: '-' is standard output, which only --json writes to");
  row("codes to standard output", "tensor @x.npy --out @z.npy --codes -",
      "--codes: '-' is standard output, which only --json writes to");
  row("bench", "bench engine @m.onnx --json @m.onnx", "is what MODEL reads");
}

void SeparateFilesTest::refused() {
  QFETCH(QString, arguments);
  QFETCH(QString, problem);
  const QTemporaryDir folder;
  writeInputs(folder);
  const auto before = bytesBelow(folder.path());
  const Outcome outcome = runCli(arguments.replace("@", folder.path() + "/").split(' '));
  QVERIFY2(outcome.status == 2 && outcome.err.count('\n') == 1, describe(outcome));
  QVERIFY2(outcome.err.contains(problem.replace("@", folder.path() + "/")), describe(outcome));
  QVERIFY(bytesBelow(folder.path()) == before);
}

// They do not stand on the command line.
void SeparateFilesTest::filesOfAProject() {
  const QTemporaryDir folder;
  writeInputs(folder);
  const auto analyze = [&](QString arguments) {
    return runCli(
        ("analyze --samples 1 " + arguments.replace("@", folder.path() + "/")).split(' '));
  };
  const Outcome first = analyze("@m.onnx --data @d.npz --project @p --out @o");
  QVERIFY2(first.status == 0, describe(first));
  const auto before = bytesBelow(folder.path());
  for (const char* file : {"m.onnx", "d.npz"}) {
    const Outcome second = analyze(QString("--project @p --out @o --json @") + file);
    const QByteArray fault =
        faultOfRefusal(second, "is what the project reads", "name another file");
    QVERIFY2(fault.isEmpty(), fault);
  }
  QVERIFY(bytesBelow(folder.path()) == before);
}

void SeparateFilesTest::theFileToResumeFromMayBeTheResult() {
  const QTemporaryDir folder;
  const QString rows = folder.filePath("rows.json");
  const QStringList measure{"sensitivity", sampleNetwork(), "--data", "random:1", "--types",
                            "int8",        "--json",        rows,     "--resume", rows};
  for (int times = 0; times < 2; ++times) {
    const Outcome outcome = runCli(measure);
    QVERIFY2(outcome.status == 0, describe(outcome));
  }
}

QUANTSCOPE_TEST(SeparateFilesTest)
#include "test_separate_files.moc"
