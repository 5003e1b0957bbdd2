#pragma once

#include <map>
#include <optional>
#include <vector>

#include "precision/parameters/layer_weights.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The parameters of one quantized model, reused by a model that differs from it in a few nodes:
/// range searches and weights take long, and most of them are the same in both.
class ParameterCache {
 public:
  ParameterCache() = default;
  /// `model` is the result of quantizeModel() for `config`. A later model must have the same graph
  /// and observations, the same backend and convention. Parameters of configurations with encodings
  /// or repairs are not reused.
  ParameterCache(const Engine& engine, const Configuration& config, const QuantizedModel& model);

  /// The grid of a group with the same values at the same precision; nullptr where there is none.
  const std::optional<QuantParams>* find(const ObserverGroups& groups, std::size_t group) const;

  /// The weights of the same layer at the same precision, under the same rules and behind the same
  /// activation; nullptr where there are none.
  const LayerWeights* find(const FusedLayer& layer, const TensorPrecision& precision,
                           const WeightRules& rules,
                           const std::optional<QuantParams>& activation) const;

 private:
  struct CachedGrid {
    TensorPrecision precision;
    std::optional<Grid> fixed;
    std::optional<QuantParams> params;
  };
  struct CachedLayer {
    std::vector<NodeId> members;
    TensorPrecision precision;
    std::optional<QuantParams> activation;
    LayerWeights weights;
  };

  void addLayer(const Engine& engine, const QuantizedModel& model, const LayerQuantization& layer,
                const TensorPrecision& precision);

  WeightRules m_rules;
  std::map<std::vector<ValueId>, std::vector<CachedGrid>> m_byValues;
  std::map<NodeId, CachedLayer> m_byLead;
};

/// quantizeModel() that reuses the parameters in `cache`.
QuantizedModel quantizeModel(const Engine& engine, const Configuration& config,
                             const Observations& observations, const ParameterCache& cache,
                             const JobContext* job = nullptr);

}  // namespace quantscope
