#include "cli/ranks.h"

#include <QStandardPaths>

namespace quantscope::test {

bool startOnRanks(QProcess& launcher, int ranks, const QStringList& arguments) {
  const QString program = QStandardPaths::findExecutable("mpirun");
  if (program.isEmpty()) return false;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
  environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  launcher.setProcessEnvironment(environment);
  launcher.start(program,
                 QStringList{"--oversubscribe", "-n", QString::number(ranks), QUANTSCOPE_CLI} +
                     arguments + QStringList{"--threads", "1"});
  return launcher.waitForStarted();
}

std::optional<Outcome> outcomeOfRanks(QProcess& launcher) {
  constexpr int kPatience = 300'000;
  if (!launcher.waitForFinished(kPatience)) {
    launcher.kill();
    launcher.waitForFinished();
    return Outcome{-2, {}, {}};
  }
  Outcome outcome{launcher.exitCode(), QString::fromUtf8(launcher.readAllStandardOutput()),
                  QString::fromUtf8(launcher.readAllStandardError())};
  if (outcome.err.contains("built without MPI")) return std::nullopt;
  return outcome;
}

std::optional<Outcome> runOnRanks(int ranks, const QStringList& arguments) {
  QProcess launcher;
  if (!startOnRanks(launcher, ranks, arguments)) return std::nullopt;
  return outcomeOfRanks(launcher);
}

}  // namespace quantscope::test
