#pragma once

#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/content_store.h"
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

using AnyPlan = std::variant<std::shared_ptr<const Plan>>;

/// About the memory that a plan takes.
std::size_t byteSize(const AnyPlan& plan);

/// Determines which nodes have to run for a value, given the values in the cache. One per engine,
/// shared by all of its runs; the engine and the cache must outlive it.
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
  mutable ContentStore<AnyPlan> m_plans;
};

}  // namespace quantscope
