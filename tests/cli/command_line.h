#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <string>

namespace quantscope::test {

/// How a run of `quantscope-cli` ended. A crash is status −1, one that had to be stopped −2.
struct Outcome {
  int status = 0;
  QString out;
  QString err;
};

/// Runs `quantscope-cli` to its end, without a terminal.
Outcome runCli(const QStringList& arguments);

/// How a process has ended; stopped where it has not `finished`.
Outcome outcomeOf(QProcess& process, bool finished);

/// The same; the program is sent `signal` when it has worked for a while. `seconds` is set to the
/// time that it took to end.
Outcome interruptCli(const QStringList& arguments, int signal, double& seconds);

/// The same with a terminal as standard error; `err` is what the terminal was sent.
Outcome runCliOnTerminal(const QStringList& arguments);

/// Everything a test wants to see of an outcome, for the message of a check that fails.
QByteArray describe(const Outcome& outcome);

/// The fault of a refusal: it must have status 1, nothing on standard output, and one line on
/// standard error that contains `place` and ends with a remedy that contains `remedy`. Empty if all
/// is well.
QByteArray faultOfRefusal(const Outcome& outcome, const QString& place, const QString& remedy);

/// A file of the repository's `samples` folder.
QString sampleFile(const QString& name);

/// The sample that most commands are run on.
const QString& sampleNetwork();

/// All files and folders below `folder`, hidden ones too.
QStringList entriesBelow(const QString& folder);

std::string readBytes(const QString& file);
nlohmann::json readJson(const QString& file);

}  // namespace quantscope::test
