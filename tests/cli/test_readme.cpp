#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope::test;

/// The commands of README.md on the bundled networks print what it shows.
class ReadmeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void commandsPrintWhatIsShown();
  void anotherFigureFails();
};

namespace {

/// A command of the page, and the lines below it: "…" stands for what is left out.
struct ShownCommand {
  QString words;
  QStringList lines;
};

std::vector<ShownCommand> commandsIn(const QString& page) {
  std::vector<ShownCommand> commands;
  bool inside = false;  // a block that begins with a command
  bool continued = false;
  for (const QString& line : page.split('\n')) {
    if (line.startsWith("```")) {
      inside = false;
    } else if (line.startsWith("$ ")) {
      commands.push_back({line.mid(2), {}});
      inside = continued = true;
    } else if (inside && continued) {
      commands.back().words += "\n" + line;
    } else if (inside) {
      commands.back().lines << line;
    }
    continued = continued && line.endsWith('\\');
  }
  return commands;
}

QRegularExpression patternOf(const QStringList& lines) {
  QString pattern;
  for (const QString& line : lines) {
    if (line == "…") {
      pattern += "(?:.*\\n)*";
      continue;
    }
    const QString escaped = QRegularExpression::escape(line).replace("\\…", "…");
    const QString shown = QString(escaped).replace("…", ".*");
    // It is not on every machine.
    pattern += (line.startsWith("ONNX Runtime ") ? "(?:not run in ONNX Runtime: .*|" + shown + ")"
                                                 : shown) +
               "\\n";
  }
  return QRegularExpression(QRegularExpression::anchoredPattern(pattern));
}

QString readmePage() {
  QFile file(QUANTSCOPE_SAMPLES_DIRECTORY "/../README.md");
  return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

Outcome runInShell(const QString& words, const QString& folder) {
  QProcess shell;
  shell.setWorkingDirectory(folder);
  shell.start("bash", {"-c", words});
  return outcomeOf(shell, shell.waitForFinished(300'000));
}

}  // namespace

void ReadmeTest::commandsPrintWhatIsShown() {
  // As from a checkout, without leaving anything there.
  const QTemporaryDir root;
  QVERIFY(QDir(root.path()).mkpath("samples") && QDir(root.path()).mkpath("build/release/bin"));
  for (const QString& name : QDir(QUANTSCOPE_SAMPLES_DIRECTORY).entryList(QDir::Files)) {
    QVERIFY(QFile::copy(sampleFile(name), root.filePath("samples/" + name)));
  }
  QVERIFY(QFile::link(QUANTSCOPE_CLI, root.filePath("build/release/bin/quantscope-cli")));
  int checked = 0;
  for (const ShownCommand& command : commandsIn(readmePage())) {
    // Others are about networks that are not bundled.
    if (!command.words.contains("samples/")) continue;
    const Outcome outcome = runInShell(command.words, root.path());
    QVERIFY2(outcome.status == 0, describe(outcome));
    QVERIFY2(patternOf(command.lines).match(outcome.out).hasMatch(),
             qPrintable(command.words + "\n" + outcome.out));
    ++checked;
  }
  QVERIFY(checked >= 6);
}

void ReadmeTest::anotherFigureFails() {
  const QStringList shown{"a: 27.9 dB, of …", "…", "9 findings"};
  const QRegularExpression pattern = patternOf(shown);
  QVERIFY(pattern.match("a: 27.9 dB, of all\nmore\nand more\n9 findings\n").hasMatch());
  QVERIFY(pattern.match("a: 27.9 dB, of \n9 findings\n").hasMatch());
  QVERIFY(!pattern.match("a: 27.8 dB, of all\n9 findings\n").hasMatch());
  QVERIFY(!pattern.match("a: 27.9 dB, of all\n8 findings\n").hasMatch());
  QVERIFY(!pattern.match("a: 27.9 dB, of all\n9 findings\nmore\n").hasMatch());
}

QUANTSCOPE_TEST(ReadmeTest)
#include "test_readme.moc"
