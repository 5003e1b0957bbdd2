#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/ranks.h"
#include "rank_message.h"

namespace quantscope::cli {

/// The first rank's list of open items, of who holds which, and of results. All may be called from
/// several threads. The items and `arrived` must outlive it.
class RankLedger {
 public:
  RankLedger(const std::vector<std::size_t>& items, std::size_t ranks,
             const Ranks::Arrived& arrived);

  /// The next piece for a rank that holds none any more; empty where nothing is open.
  RankMessage next(int rank);
  /// Results, of which those that are there already do not count.
  void take(const RankMessage& message);
  /// Opens again what a rank holds that has died.
  void giveBack(int rank);
  /// True once all results are there.
  bool complete() const;

  std::vector<std::string>& results() { return m_results; }

 private:
  const std::vector<std::size_t>& m_items;
  const Ranks::Arrived& m_arrived;
  mutable std::mutex m_mutex;
  std::vector<std::deque<std::size_t>> m_left;     // places by rank
  std::vector<std::vector<std::uint64_t>> m_held;  // likewise
  std::vector<bool> m_done;                        // by place
  std::size_t m_open;                              // without a result
  std::vector<std::string> m_results;
};

}  // namespace quantscope::cli
