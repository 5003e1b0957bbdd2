#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/job_context.h"
#include "engine/evaluation/evaluator.h"
#include "engine/execution.h"

namespace quantscope {

/// One run of a sample for some wanted values. It starts from the values in the cache and adds the
/// values that it computes. Bits and layouts of the values equal those of a run from the sample's
/// inputs.
///
/// Driven step by step like Execution, of whose sub-graphs it shows as much. Run it inside
/// Workers::forEach or Workers::run.
class Evaluation {
 public:
  enum class Keep { InCache, Nowhere };

  /// All but `wanted` must outlive the evaluation; `quantization` (null = float) is what `keys`
  /// were made of. Values that are not computable, and constants, may be wanted, too: they do not
  /// run. `kept`: see Evaluator::workFor().
  Evaluation(const Evaluator& evaluator, const SampleInputs& sample, const ValueKeys& keys,
             const AppliedQuantization* quantization, std::span<const ValueId> wanted, Keep keep,
             const ValueKeys* kept = nullptr);

  bool finished() const { return m_execution == nullptr || m_execution->finished(); }
  /// See Execution.
  NodeId next() const { return m_execution->next(); }
  std::size_t depth() const { return m_execution->depth(); }
  NodeId step();
  /// Throws Cancelled between two steps once `job` was asked to stop.
  void run(const JobContext& job);

  /// A wanted value of the main graph, once it was found or made and until it is released; a
  /// constant or an input at any time. Undefined otherwise.
  StoredValue find(ValueId value) const;
  void release(ValueId value) { m_held.erase(value); }
  /// A wanted value inside a sub-graph that the run is in, as Execution::value().
  Tensor inside(ValueId value, Layout preferred) { return m_execution->value(value, preferred); }

  /// Wanted values of the main graph that the last step has made.
  const std::vector<ValueId>& made() const { return m_made; }

 private:
  void take(NodeId node);

  const Evaluator& m_evaluator;
  const SampleInputs& m_sample;
  const ValueKeys& m_keys;
  Keep m_keep;
  Evaluator::Work m_work;  // holds what was given, so that no kernel writes to what the cache has
  std::unique_ptr<Execution> m_execution;
  std::vector<bool> m_wanted;                       // by value
  std::unordered_map<ValueId, StoredValue> m_held;  // wanted values
  std::vector<ValueId> m_made;
  double m_seconds = 0;  // since a value was kept
};

/// The tensor that a stored value stands for, in the preferred layout where it is at hand.
Tensor tensorOf(const StoredValue& value, Layout preferred);

}  // namespace quantscope
