#pragma once

#include <QProcess>
#include <optional>

#include "cli/command_line.h"

namespace quantscope::test {

/// Starts `quantscope-cli` as several ranks on this machine; false where there is no launcher.
/// `launcherOptions` go to `mpirun`.
bool startOnRanks(QProcess& launcher, int ranks, const QStringList& arguments,
                  const QStringList& launcherOptions = {});

/// Runs them to their end; none where there is no launcher, or no MPI in the program.
std::optional<Outcome> runOnRanks(int ranks, const QStringList& arguments);

}  // namespace quantscope::test
