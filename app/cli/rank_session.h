#pragma once

#include <memory>

#include "base/ranks.h"

namespace quantscope::cli {

/// The processes that one `mpirun` has started.
class RankSession : public Ranks {
 public:
  /// This rank is done: waits, asleep, until the first one is, too. Throws Io where that one ends
  /// before.
  virtual void leave() = 0;
  /// Ends all ranks, where this one cannot go on.
  virtual void abandon(int status) = 0;
};

/// How many processes `mpirun` says that it has started; 1 without it.
std::size_t launchedRanks();

/// True for the process that reports what all of them meet; true without `mpirun`.
bool isFirstLaunched();

/// Null where this process was started by itself. Throws UnsupportedOperation where several were
/// started and the program was built without MPI.
std::unique_ptr<RankSession> joinRanks();

}  // namespace quantscope::cli
