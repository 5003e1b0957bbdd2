#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/content_id.h"
#include "engine/evaluation/plan_budget.h"
#include "engine/execution.h"

namespace quantscope {

/// A cache of the values that runs have computed, within a budget of bytes, and the budget of the
/// plans of such runs. May be used from any thread.
///
/// The GreedyDual-Size rule (Cao and Irani, 1997) with seconds per byte as the cost chooses what to
/// drop: values that are cheap to compute for their size, and values that were not used for long.
/// The content of the cache affects the time of a run and never its result.
class ActivationCache {
 public:
  /// What a value takes beside its elements: its places in the map and in the ranking, and the
  /// head and the alignment of the memory block of its elements.
  static constexpr std::size_t kEntryBytes = 448;

  /// Without a budget for plans none is kept.
  explicit ActivationCache(std::size_t budget, std::size_t planBudget = 0)
      : m_budget(budget), m_plans(planBudget) {}

  /// Of all evaluators that use the cache.
  PlanBudget& plans() { return m_plans; }

  std::optional<StoredValue> find(ContentId key);
  /// Marks the value as used.
  void touch(ContentId key);
  /// `seconds`: the time to compute it. A value larger than the whole budget is not kept.
  void insert(ContentId key, const StoredValue& value, double seconds);

  std::size_t budget() const;
  /// Drops values until the rest fits.
  void setBudget(std::size_t bytes);
  /// Of all values, kEntryBytes of each included.
  std::size_t bytes() const;

 private:
  using Ranking = std::multimap<double, ContentId>;
  struct Entry {
    StoredValue value;
    double secondsPerByte = 0;
    Ranking::iterator rank;
  };

  static std::size_t bytesOf(const StoredValue& value);
  void renew(Entry& entry);
  void shrinkTo(std::size_t bytes);

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  double m_lowest = 0;  // rank of the last entry that went
  Ranking m_ranking;
  std::unordered_map<ContentId, Entry> m_entries;
  PlanBudget m_plans;
};

}  // namespace quantscope
