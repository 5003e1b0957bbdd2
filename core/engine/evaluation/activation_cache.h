#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/content_id.h"
#include "engine/execution.h"

namespace quantscope {

/// Values that runs have computed, by key, as far as a budget of bytes goes. May be used from any
/// thread.
///
/// What is cheap to compute again for its size goes first, the longer nobody has asked for it the
/// sooner: the GreedyDual-Size rule (Cao and Irani, 1997) with seconds per byte as the cost. What
/// is here changes how long a run takes and never what it gives.
class ActivationCache {
 public:
  explicit ActivationCache(std::size_t budget) : m_budget(budget) {}

  std::optional<StoredValue> find(ContentId key);
  /// As if somebody had asked for it.
  void touch(ContentId key);
  /// `seconds`: what it took to compute. A value that is larger than the whole budget is not kept.
  void insert(ContentId key, const StoredValue& value, double seconds);

  std::size_t budget() const;
  /// Drops what does not fit any more.
  void setBudget(std::size_t bytes);
  std::size_t bytes() const;

 private:
  using Ranking = std::multimap<double, ContentId>;
  struct Entry {
    StoredValue value;
    double secondsPerByte = 0;
    Ranking::iterator rank;
  };

  void renew(Entry& entry);
  void shrinkTo(std::size_t bytes);

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  double m_lowest = 0;  // rank of the last entry that went
  Ranking m_ranking;
  std::unordered_map<ContentId, Entry> m_entries;
};

}  // namespace quantscope
