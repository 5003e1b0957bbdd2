#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace quantscope::cli {

/// A process, as ranks of one machine tell each other: `space` distinguishes the containers that
/// process ids are of.
struct RankProcess {
  std::int64_t rank = 0;
  std::int64_t id = 0;
  std::uint64_t space = 0;
};

/// This process.
RankProcess thisProcess(int rank);

/// The processes of the ranks on this machine.
class RankProcesses {
 public:
  RankProcesses() = default;
  /// `all`: those of the ranks on this machine, this one's too; of `count` ranks.
  RankProcesses(const std::vector<RankProcess>& all, const RankProcess& own, int count);

  /// True for a rank of this machine that has ended. Other machines' ranks are not seen.
  bool dead(int rank) const;

 private:
  std::vector<pid_t> m_ids;  // by rank; 0 = not seen from here
};

}  // namespace quantscope::cli
