#pragma once

#include <map>
#include <optional>
#include <vector>

#include "precision/parameters/layer_weights.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What of a quantized model can be taken over by one that differs from it in a few nodes: range
/// searches and the weights take long, and most of them are the same in both.
class KnownParts {
 public:
  KnownParts() = default;
  /// `model`: what quantizeModel() made of `config` on the engine's graph. The one to come is of
  /// the same graph and observations, under the same backend and convention. Of configurations with
  /// encodings or repairs nothing is taken over.
  KnownParts(const Engine& engine, const Configuration& config, const QuantizedModel& model);

  /// The grid of a group with the same values at the same precision; nullptr where there is none.
  const std::optional<QuantParams>* find(const ObserverGroups& groups, std::size_t group) const;

  /// The weights of the same layer at the same precision, under the same rules and behind the same
  /// activation; nullptr where there are none.
  const LayerWeights* find(const FusedLayer& layer, const TensorPrecision& precision,
                           const WeightRules& rules,
                           const std::optional<QuantParams>& activation) const;

 private:
  struct KnownGrid {
    TensorPrecision precision;
    std::optional<Grid> fixed;
    std::optional<QuantParams> params;
  };
  struct KnownLayer {
    std::vector<NodeId> members;
    TensorPrecision precision;
    std::optional<QuantParams> activation;
    LayerWeights weights;
  };

  void addLayer(const Engine& engine, const QuantizedModel& model, const LayerQuantization& layer,
                const TensorPrecision& precision);

  WeightRules m_rules;
  std::map<std::vector<ValueId>, std::vector<KnownGrid>> m_byValues;
  std::map<NodeId, KnownLayer> m_byLead;
};

/// quantizeModel() that takes over what `known` has.
QuantizedModel quantizeModel(const Engine& engine, const Configuration& config,
                             const Observations& observations, const KnownParts& known,
                             const JobContext* job = nullptr);

}  // namespace quantscope
