#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/evaluation/activation_cache.h"
#include "engine/evaluation/value_keys.h"
#include "engine/plan.h"

namespace quantscope {

/// The inputs of a run: a tensor per graph input, `batch` samples along axis 0.
struct SampleInputs {
  ContentId content;  ///< of the tensors and of the batch
  std::span<const std::pair<ValueId, Tensor>> values;
  std::size_t batch = 1;
};

/// Determines which nodes have to run for a value, given the values in the cache. One per engine,
/// shared by all of its runs; the engine and the cache must outlive it. A sweep takes a plan for
/// each of its changes, in turns, for every sample: plans are kept within the cache's budget for
/// them.
class Evaluator {
 public:
  using Values = std::vector<std::pair<ValueId, StoredValue>>;

  /// The remaining work for some values of one sample.
  struct Work {
    std::shared_ptr<const Plan> plan;  ///< of what has to run; null where nothing has
    Values given;                      ///< values that the plan starts from
    Values found;                      ///< wanted values that nothing has to run for
  };

  Evaluator(const Engine& engine, ActivationCache& cache);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const Engine& engine() const { return m_engine; }
  ActivationCache& cache() const { return m_cache; }
  /// False for values that depend on an operator which cannot be executed.
  bool computable(ValueId value) const { return m_computable[value.at()]; }
  /// A value's key for one sample.
  static ContentId key(const SampleInputs& sample, const ValueKeys& keys, ValueId value) {
    return combined({sample.content, keys[value]});
  }

  /// The work for `wanted` values, which are computable and not constant. `kept`: only values that
  /// have the same key there are looked for in the cache; null = all.
  Work workFor(const SampleInputs& sample, const ValueKeys& keys, std::span<const ValueId> wanted,
               const ValueKeys* kept = nullptr) const;

 private:
  const Engine& m_engine;
  ActivationCache& m_cache;
  std::vector<bool> m_computable;  // by value
  mutable PlanStore m_plans;
};

}  // namespace quantscope
