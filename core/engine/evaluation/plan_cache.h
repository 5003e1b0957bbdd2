#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/content_id.h"
#include "engine/plan.h"

namespace quantscope {

/// The plans of an engine that were asked for last. As many are kept as a sweep over a large
/// network takes at once: a plan for each of its changes, in turns, for every sample. May be used
/// from any thread.
class PlanCache {
 public:
  /// The engine must outlive it.
  explicit PlanCache(const Engine& engine);

  /// The plan for a request whose values are sorted.
  std::shared_ptr<const Plan> find(const PlanRequest& request);

 private:
  struct Entry {
    ContentId request;
    std::shared_ptr<const Plan> plan;
  };

  const Engine& m_engine;
  std::size_t m_most;  // plans
  std::mutex m_mutex;
  std::list<Entry> m_entries;  // most recently used first
  std::unordered_map<ContentId, std::list<Entry>::iterator> m_places;
};

}  // namespace quantscope
