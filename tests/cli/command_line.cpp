#include "cli/command_line.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include "base/files/file_descriptor.h"
#include "support/test_paths.h"

namespace quantscope::test {
namespace {

constexpr int kCrashed = -1;
constexpr int kStopped = -2;
constexpr int kCommandPatienceMs = 300'000;
constexpr int kPollMs = 5;
constexpr int kWorkMs = 500;  // far longer than the bundled networks take to load

void start(QProcess& process, const QStringList& arguments) {
  process.start(QUANTSCOPE_CLI, arguments);
  if (!process.waitForStarted()) qFatal("cannot start %s", QUANTSCOPE_CLI);
  process.closeWriteChannel();
}

// The program installs its handler when its options are read: then the job begins.
bool catchesInterrupts(qint64 process) {
  QFile file(QString("/proc/%1/status").arg(process));
  if (!file.open(QFile::ReadOnly)) return false;
  static const QRegularExpression caught("SigCgt:\\s*([0-9a-f]+)");
  const QString mask = caught.match(QString::fromUtf8(file.readAll())).captured(1);
  return (mask.toULongLong(nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
}

QByteArray readAvailable(int descriptor) {
  QByteArray bytes;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    bytes.append(buffer, static_cast<qsizetype>(count));
  }
  return bytes;
}

}  // namespace

Outcome outcomeOf(QProcess& process, bool finished) {
  if (!finished) {
    process.kill();
    process.waitForFinished();
  }
  Outcome outcome;
  outcome.status = process.exitCode();
  if (process.exitStatus() == QProcess::CrashExit) outcome.status = kCrashed;
  if (!finished) outcome.status = kStopped;
  outcome.out = QString::fromUtf8(process.readAllStandardOutput());
  outcome.err = QString::fromUtf8(process.readAllStandardError());
  return outcome;
}

Outcome runCli(const QStringList& arguments) {
  QProcess process;
  start(process, arguments);
  return outcomeOf(process, process.waitForFinished(kCommandPatienceMs));
}

Outcome interruptCli(const QStringList& arguments, int signal, double& seconds) {
  QProcess process;
  start(process, arguments);
  while (!catchesInterrupts(process.processId()) && !process.waitForFinished(kPollMs)) {
  }
  bool finished = process.waitForFinished(kWorkMs);
  QElapsedTimer timer;
  timer.start();
  if (!finished) {
    ::kill(static_cast<pid_t>(process.processId()), signal);
    finished = process.waitForFinished(kCommandPatienceMs);
  }
  seconds = static_cast<double>(timer.elapsed()) / 1000;
  return outcomeOf(process, finished);
}

Outcome runCliOnTerminal(const QStringList& arguments) {
  int screen = -1;
  int line = -1;
  if (::openpty(&screen, &line, nullptr, nullptr, nullptr) != 0) qFatal("no pseudo-terminal");
  const FileDescriptor master(screen);
  FileDescriptor slave(line);
  ::fcntl(screen, F_SETFL, O_NONBLOCK);
  QProcess process;
  process.setChildProcessModifier([line] { ::dup2(line, STDERR_FILENO); });
  start(process, arguments);
  QByteArray shown;
  // The terminal's buffer is small: unread, it would stop the program.
  while (!process.waitForFinished(kPollMs)) shown += readAvailable(screen);
  shown += readAvailable(screen);
  Outcome outcome = outcomeOf(process, true);
  outcome.err = QString::fromUtf8(shown);
  return outcome;
}

QByteArray describe(const Outcome& outcome) {
  return QString("status %1\n%2\n%3").arg(outcome.status).arg(outcome.out, outcome.err).toUtf8();
}

QByteArray faultOfRefusal(const Outcome& outcome, const QString& place, const QString& remedy) {
  const QString& text = outcome.err;
  const auto fault = [&](const char* what) { return QByteArray(what) + ": " + describe(outcome); };
  if (outcome.status != 1) return fault("the status is not 1");
  if (!outcome.out.isEmpty()) return fault("something is on standard output");
  if (text.count('\n') != 1 || !text.endsWith('\n')) return fault("not one line");
  if (!text.startsWith("error: ")) return fault("does not start as an error");
  if (!text.contains(place)) return fault("the place is missing");
  // After the place in parentheses; without one, after the sentence.
  const qsizetype placeEnd = text.indexOf("): ");
  const qsizetype colon = placeEnd < 0 ? text.lastIndexOf(": ") : placeEnd;
  if (colon < static_cast<qsizetype>(qstrlen("error: "))) return fault("there is no remedy");
  if (!text.mid(colon).contains(remedy)) return fault("the remedy is missing");
  return {};
}

QString sampleFile(const QString& name) {
  return QString(QUANTSCOPE_SAMPLES_DIRECTORY) + "/" + name;
}

const QString& sampleNetwork() {
  static const QString file = sampleFile("digits_mobilenet.onnx");
  return file;
}

QStringList entriesBelow(const QString& folder) {
  QStringList entries;
  QDirIterator iterator(folder,
                        QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                        QDirIterator::Subdirectories);
  while (iterator.hasNext()) entries << QDir(folder).relativeFilePath(iterator.next());
  entries.sort();
  return entries;
}

std::string readBytes(const QString& name) {
  QFile file(name);
  if (!file.open(QFile::ReadOnly)) qFatal("cannot read %s", qPrintable(name));
  return file.readAll().toStdString();
}

nlohmann::json readJson(const QString& file) {
  return nlohmann::json::parse(readBytes(file));
}

}  // namespace quantscope::test
