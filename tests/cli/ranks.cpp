#include "cli/ranks.h"

#include <QStandardPaths>

namespace quantscope::test {

bool startOnRanks(QProcess& launcher, int ranks, const QStringList& arguments,
                  const QStringList& launcherOptions) {
  const QString program = QStandardPaths::findExecutable("mpirun");
  if (program.isEmpty()) return false;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
  environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  // Open MPI's plug-ins leak. Only the preset asan reads this.
  environment.insert("ASAN_OPTIONS", environment.value("ASAN_OPTIONS") + ":detect_leaks=0");
  launcher.setProcessEnvironment(environment);
  launcher.start(program,
                 launcherOptions +
                     QStringList{"--oversubscribe", "-n", QString::number(ranks), QUANTSCOPE_CLI} +
                     arguments + QStringList{"--threads", "1"});
  return launcher.waitForStarted();
}

std::optional<Outcome> runOnRanks(int ranks, const QStringList& arguments) {
  QProcess launcher;
  if (!startOnRanks(launcher, ranks, arguments)) return std::nullopt;
  constexpr int kPatience = 300'000;
  Outcome outcome = outcomeOf(launcher, launcher.waitForFinished(kPatience));
  if (outcome.err.contains("built without MPI")) return std::nullopt;
  return outcome;
}

}  // namespace quantscope::test
