#pragma once

#include <map>
#include <optional>
#include <vector>

#include "precision/quantized_model.h"

namespace quantscope {

/// The grids of a quantized model, to be taken over by one that differs from it in a few nodes:
/// range searches take long, and most groups are the same in both.
class KnownGrids {
 public:
  KnownGrids() = default;
  /// `model` under the same backend, convention and observations as the one to come.
  explicit KnownGrids(const QuantizedModel& model);

  /// Of a group with the same values at the same precision; nullptr where there is none.
  const std::optional<QuantParams>* find(const ObserverGroups& groups, std::size_t group) const;

 private:
  struct Known {
    TensorPrecision precision;
    std::optional<Grid> fixed;
    std::optional<QuantParams> params;
  };

  std::map<std::vector<ValueId>, std::vector<Known>> m_byValues;
};

/// quantizeModel() that takes over the grids of the groups that `known` has.
QuantizedModel quantizeModel(const Engine& engine, const PrecisionConfig& config,
                             const Observations& observations, const KnownGrids& known,
                             const JobContext* job = nullptr);

}  // namespace quantscope
