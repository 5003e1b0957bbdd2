#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// What a run is to start from and to end with.
struct PlanRequest {
  std::vector<ValueId> given;   ///< values that the run is handed; nothing before them is run
  std::vector<ValueId> wanted;  ///< values to compute; nothing that they do not need is run
  std::vector<ValueId> kept;    ///< of those, the ones still there when the run has ended
};

/// Which nodes to run, in which order, and when each value can be forgotten. Immutable, made once
/// and used by any number of executions at the same time. The engine must outlive it.
class Plan {
 public:
  struct Step {
    NodeId node;
    std::vector<ValueId> lastReads;  ///< values that nobody reads after this step
  };

  Plan(const Engine& engine, const PlanRequest& request);

  const Engine& engine() const { return m_engine; }
  const std::vector<Step>& steps(BlockId block) const { return m_steps[block.at()]; }
  /// Wanted values that cannot be computed: an operator on the way to them is not executable.
  const std::vector<ValueId>& notComputed() const { return m_notComputed; }
  std::size_t stepCount() const;

  /// Where a value lives during an execution; negative for values that the run does not touch.
  std::int32_t slot(ValueId value) const { return m_slots[value.at()]; }
  std::size_t slotCount() const { return m_slotCount; }

 private:
  void markBlocked(BlockId block);
  void blockAll(BlockId block);
  void markNeeded(BlockId block);
  bool wantsInside(BlockId block) const;
  void orderSteps(BlockId block);
  void assignSlots();
  bool isGiven(ValueId value) const { return m_given[value.at()] != 0; }

  const Engine& m_engine;
  std::vector<char> m_given;               // by value
  std::vector<char> m_blocked;             // by value: cannot be computed
  std::vector<char> m_neededValue;         // by value
  std::vector<char> m_neededNode;          // by node
  std::vector<char> m_kept;                // by value
  std::vector<std::vector<Step>> m_steps;  // by block
  std::vector<ValueId> m_notComputed;
  std::vector<std::int32_t> m_slots;
  std::size_t m_slotCount = 0;
};

/// A plan from the graph's inputs to every value that can be computed; outputs are kept.
Plan planForAllValues(const Engine& engine);

}  // namespace quantscope
