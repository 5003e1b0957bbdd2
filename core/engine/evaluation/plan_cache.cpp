#include "engine/evaluation/plan_cache.h"

#include <algorithm>
#include <span>

#include "engine/engine.h"

namespace quantscope {
namespace {

// A plan takes memory for each node of its network: at most these many nodes in all plans.
constexpr std::size_t kMostNodes = 3'200'000;
// Of small networks, at most; of huge ones, at least.
constexpr std::size_t kMostPlans = 4096;
constexpr std::size_t kFewestPlans = 64;

ContentId idOf(const PlanRequest& request) {
  ContentHasher hasher;
  for (const auto* values : {&request.given, &request.wanted}) {
    hasher.add(std::as_bytes(std::span(*values)));
  }
  return hasher.id();
}

}  // namespace

PlanCache::PlanCache(const Engine& engine)
    : m_engine(engine),
      m_most(
          std::clamp(kMostNodes / (engine.graph().nodes().size() + 1), kFewestPlans, kMostPlans)) {}

std::shared_ptr<const Plan> PlanCache::find(const PlanRequest& request) {
  const ContentId id = idOf(request);
  const std::lock_guard lock(m_mutex);
  const auto known = m_places.find(id);
  if (known != m_places.end()) {
    m_entries.splice(m_entries.begin(), m_entries, known->second);
  } else {
    if (m_entries.size() == m_most) {
      m_places.erase(m_entries.back().request);
      m_entries.pop_back();
    }
    m_entries.push_front({id, std::make_shared<const Plan>(m_engine, request)});
    m_places.emplace(id, m_entries.begin());
  }
  return m_entries.front().plan;
}

}  // namespace quantscope
