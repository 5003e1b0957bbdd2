#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/job_context.h"
#include "engine/gradients/reverse_path.h"
#include "engine/gradients/reverse_schedule.h"
#include "engine/recent_cache.h"
#include "engine/value_slots.h"

namespace quantscope {

class CotangentSum;

/// Gives a reverse pass its start cotangents and receives its results.
class ReverseListener {
 public:
  /// The float run's values that are at hand: of outputs, and those beside a source.
  class Values {
   public:
    virtual ~Values() = default;
    virtual StoredValue find(ValueId value) const = 0;
  };

  virtual ~ReverseListener() = default;
  /// The cotangents to go back with, by probe and then by output of the pass; undefined = zero.
  /// Each has the shape and layout-independent elements of its output.
  virtual std::vector<std::vector<Tensor>> begin(const Values& values) = 0;
  /// Where those of a source that no node makes are only summed up over runs, of one probe each:
  /// they go there instead of to take(). Null = take() gets them.
  virtual CotangentSum* sumOf(ValueId /*source*/) { return nullptr; }
  /// The cotangents of a source, by probe; undefined = zero, or not to be had where the pass says
  /// why (ReversePass::whyNot()). Each source comes once, those made last first.
  virtual void take(ValueId source, std::span<const Tensor> cotangents, const Values& values) = 0;
};

/// Vector-Jacobian products of a network: from cotangents of its outputs, several sets ("probes")
/// at once, to those of chosen values, activations and weights. The float network is run and walked
/// back; within a memory budget parts of it are run again on the way.
///
/// Bits depend on the inputs alone, not on the budget, the other probes or the threads. One object
/// serves many runs at once; run it inside Workers::forEach or Workers::run.
class ReversePass {
 public:
  /// The engine must outlive it. Outputs and sources are values of the main graph.
  ReversePass(const Engine& engine, std::vector<ValueId> outputs,
              std::span<const ReverseSource> sources);
  ~ReversePass();

  /// Why a source has no cotangent: "gradient not available: …"; empty if it has one.
  const std::string& whyNot(ValueId source) const { return m_path.whyNot(source); }
  /// See ReversePath::flows().
  bool flows(ValueId source) const { return m_path.flows(source); }

  /// `budget`: bytes of tensors to hold at once; 0 = no limit. Throws Cancelled between two nodes,
  /// and Error with the node's name.
  void run(std::span<const std::pair<ValueId, Tensor>> inputs, ReverseListener& listener,
           std::size_t budget, const JobContext& job) const;

 private:
  class Run;
  struct KnownSchedule;

  std::shared_ptr<const ReverseSchedule> scheduleFor(
      std::span<const std::pair<ValueId, Tensor>> inputs, std::size_t budget,
      const JobContext& job) const;

  const Engine& m_engine;
  std::vector<ValueId> m_outputs;
  std::vector<char> m_isSource;        // by value
  std::vector<ValueId> m_rootSources;  // those that no node makes
  ReversePath m_path;
  std::shared_ptr<const ReverseSchedule> m_whole;
  RecentCache<KnownSchedule> m_schedules;
};

}  // namespace quantscope
