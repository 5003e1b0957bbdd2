#include "rank_processes.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace quantscope::cli {

RankProcess thisProcess(int rank) {
  struct stat space {};
  const bool known = ::stat("/proc/self/ns/pid", &space) == 0;
  return {rank, ::getpid(), known ? space.st_ino : 0};
}

RankProcesses::RankProcesses(const std::vector<RankProcess>& all, const RankProcess& own, int count)
    : m_ids(static_cast<std::size_t>(count)) {
  for (const RankProcess& each : all) {
    if (each.space != own.space) continue;
    m_ids[static_cast<std::size_t>(each.rank)] = static_cast<pid_t>(each.id);
  }
}

bool RankProcesses::dead(int rank) const {
  const pid_t id = m_ids[static_cast<std::size_t>(rank)];
  return id != 0 && ::kill(id, 0) != 0 && errno == ESRCH;
}

}  // namespace quantscope::cli
