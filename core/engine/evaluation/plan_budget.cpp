#include "engine/evaluation/plan_budget.h"

namespace quantscope {

std::size_t byteSize(const AnyPlan& plan) {
  return std::get<std::shared_ptr<const Plan>>(plan)->bytes();
}

void PlanBudget::setBudget(std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_budget = bytes;
  divide();
}

std::size_t PlanBudget::budget() const {
  const std::lock_guard lock(m_mutex);
  return m_budget;
}

std::size_t PlanBudget::bytes() const {
  const std::lock_guard lock(m_mutex);
  std::size_t bytes = 0;
  for (const PlanStore* store : m_stores) bytes += store->bytes();
  return bytes;
}

void PlanBudget::add(PlanStore& store) {
  const std::lock_guard lock(m_mutex);
  m_stores.push_back(&store);
  divide();
}

void PlanBudget::remove(const PlanStore& store) {
  const std::lock_guard lock(m_mutex);
  std::erase(m_stores, &store);
  divide();
}

void PlanBudget::divide() {
  for (PlanStore* store : m_stores) store->setBudget(m_budget / m_stores.size());
}

}  // namespace quantscope
