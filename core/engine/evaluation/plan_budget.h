#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "base/content_store.h"
#include "engine/plan.h"

namespace quantscope {

using AnyPlan = std::variant<std::shared_ptr<const Plan>>;
std::size_t byteSize(const AnyPlan& plan);

/// The plans of one evaluator.
using PlanStore = ContentStore<AnyPlan>;

/// The bytes that the plans of several evaluators take together: each may take an equal part, so
/// that the total stays within the budget however many there are. May be used from any thread.
class PlanBudget {
 public:
  explicit PlanBudget(std::size_t bytes) : m_budget(bytes) {}

  /// Drops plans until the rest fits.
  void setBudget(std::size_t bytes);
  std::size_t budget() const;
  /// Of all plans that are kept now.
  std::size_t bytes() const;

  /// `store` gets its part, until it is removed; the others get less.
  void add(PlanStore& store);
  void remove(const PlanStore& store);

 private:
  void divide();

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::vector<PlanStore*> m_stores;
};

}  // namespace quantscope
