#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/fusion/element_program.h"
#include "engine/fusion/fusion.h"
#include "engine/recent_cache.h"

namespace quantscope {

/// The given and the wanted values of a run.
struct PlanRequest {
  std::vector<ValueId> given;  ///< values that the run is handed; nothing before them is run
  /// Values to compute; only nodes that they need are run. Only these and the given values can be
  /// read during the run: values between them may never exist as tensors.
  std::vector<ValueId> wanted;
  std::vector<ValueId> kept;  ///< of those, the ones still there when the run has ended
};

/// The effect on a node's output of the nodes that follow it in one step.
struct FollowerProgram {
  Shape shape;
  Layout layout;
  ElementType half;  ///< the half type that the elements stand for; Float32 where they are float32
  Layout resultLayout;
  ElementProgram program;
};

/// The nodes to run in order, and the step after which each value can be freed. Immutable, made
/// once and used by any number of concurrent executions. The engine must outlive it.
class Plan {
 public:
  /// A node, and elementwise ones that it hands its output 0 on to, one after the other.
  struct Step {
    struct Follower {
      NodeId node;
      std::size_t input;               ///< the one that the node before makes
      std::vector<ValueId> lastReads;  ///< values that are not read after this node
    };
    NodeId node;
    std::vector<ValueId> lastReads;  ///< values that are not read after this node
    std::vector<Follower> followers;
    /// The followers' programs for shapes and layouts seen before; null if a follower reads more
    /// than the node's output and constants.
    std::shared_ptr<const RecentCache<FollowerProgram>> programs;

    NodeId last() const { return followers.empty() ? node : followers.back().node; }
  };

  Plan(const Engine& engine, const PlanRequest& request);

  const Engine& engine() const { return m_engine; }
  const std::vector<Step>& steps(BlockId block) const { return m_steps[block.at()]; }
  /// Wanted values that cannot be computed: an operator on the way to them is not executable.
  const std::vector<ValueId>& notComputed() const { return m_notComputed; }
  std::size_t stepCount() const;
  /// About the memory that it takes, with the followers' programs for one shape.
  std::size_t bytes() const;

  /// The slot of a value during an execution; negative for values that the run does not use.
  std::int32_t slot(ValueId value) const { return m_slots[value.at()]; }
  std::size_t slotCount() const { return m_slotCount; }

 private:
  void markBlocked(BlockId block);
  void blockAll(BlockId block);
  void markNeeded(BlockId block);
  bool wantsInside(BlockId block) const;
  void orderSteps(BlockId block);
  void findLastReads(BlockId block);
  bool followersReadConstants(const FusedNodes& group) const;
  void assignSlots();
  bool isGiven(ValueId value) const { return m_given[value.at()] != 0; }

  const Engine& m_engine;
  std::vector<char> m_given;               // by value
  std::vector<char> m_blocked;             // by value: cannot be computed
  std::vector<char> m_neededValue;         // by value
  std::vector<char> m_neededNode;          // by node
  std::vector<char> m_seen;                // by value: given, wanted or kept
  std::vector<char> m_kept;                // by value
  std::vector<std::vector<Step>> m_steps;  // by block
  std::vector<ValueId> m_notComputed;
  std::vector<std::int32_t> m_slots;
  std::size_t m_slotCount = 0;
};

/// A plan from the graph's inputs to its outputs; only the outputs can be read.
Plan planForOutputs(const Engine& engine);

/// A plan from the graph's inputs to every value that can be computed; outputs are kept.
Plan planForAllValues(const Engine& engine);

}  // namespace quantscope
