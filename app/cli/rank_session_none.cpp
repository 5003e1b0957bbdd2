#include "base/error.h"
#include "rank_session.h"

namespace quantscope::cli {

std::unique_ptr<RankSession> joinRanks() {
  if (launchedRanks() == 1) return nullptr;
  throw Error(ErrorCode::UnsupportedOperation,
              "several ranks were started, and this program was built without MPI", {},
              "install libopenmpi-dev and build it again, or share the work with --shard");
}

}  // namespace quantscope::cli
