#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/observers/observations.h"
#include "engine/applied_quantization.h"
#include "precision/backend/backend_check.h"
#include "precision/config/configuration.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/fused_patterns.h"
#include "precision/parameters/layer_weights.h"
#include "precision/parameters/parameter_cache.h"
#include "precision/sharing/observer_groups.h"
#include "precision/sharing/observer_placement.h"

namespace quantscope {

/// How one layer's weights, bias and activations are quantized.
struct LayerQuantization {
  FusedLayer layer;
  PrecisionRule rule;     ///< the entry of the configuration that its precision comes from
  bool computes = false;  ///< its output is float data, not only moved (configured_layers.h)
  bool quantized = false;
  bool dataMover = false;
  std::vector<WeightParams> weights;  ///< all that are quantized
  std::size_t weightElements = 0;     ///< of all its weights, quantized or not
  std::optional<BiasParams> bias;     ///< where the layer has one
  /// Its quantized input edges and output, as indices of QuantizedModel::groups.points.
  std::vector<std::size_t> edges;
  std::optional<std::size_t> outputPoint;
  std::optional<QuantParams> weight;      ///< of the first of its weights
  std::optional<QuantParams> activation;  ///< of the first of its edges that was calibrated
  std::optional<QuantParams> output;
  bool equalized = false;  ///< its input is multiplied by the factors of Repairs
  /// Why a point of the layer stayed float although it should be quantized; empty = it did not.
  std::string notCalibrated;
};

/// A graph under a configuration: the parameters to apply, and the layers to report on.
struct QuantizedModel {
  AppliedQuantization applied;
  WeightRules weightRules;
  std::vector<LayerQuantization> layers;  ///< in execution order
  ObserverGroups groups;
  std::vector<std::optional<QuantParams>> groupParams;  ///< by group; none = not calibrated
  std::vector<ObserverSeat> seats;                      ///< by point: where its observer sits
  std::vector<NotSupported> notSupported;  ///< asked for, and applied, but not on the backend
  std::vector<std::string> notices;        ///< for the user: entries without effect or support
  std::vector<std::string> notEqualized;   ///< the nodes whose factors have no effect
};

/// What a variant of a quantized graph applies, and one layer of it.
struct QuantizedVariant {
  AppliedQuantization applied;
  std::optional<LayerQuantization> layer;  ///< none where its lead leads no layer
};

/// True where both have the same layers, whatever their parameters are.
bool sameLayers(const QuantizedModel& a, const QuantizedModel& b);

/// True for integers whose grid is the same for all samples.
bool isStaticInteger(const std::optional<QuantParams>& params);

/// The parameters of a point; none if calibration never reached its group.
const std::optional<QuantParams>& paramsOf(const QuantizedModel& model, std::size_t point);

/// Stores quantized weights and bias in a layer.
void takeOver(const LayerWeights& weights, LayerQuantization& layer);

/// Bias elements of a layer beyond int32, clamped.
std::size_t biasOverflows(const LayerQuantization& layer);

/// Resolves `config` on the engine's graph with the ranges that calibration observed.
/// Throws InvalidConfiguration for entries that match no node, an unknown backend, contradictions
/// inside a group, encodings that contradict the precision, the shape or each other, factors that
/// are not one per input channel; InsufficientData where fewer samples were seen than the
/// configuration asks for; Cancelled. Without a job it all runs on this thread.
QuantizedModel quantizeModel(const Engine& engine, const Configuration& config,
                             const Observations& observations, const JobContext* job = nullptr);
/// The same, from what `cache` has of this and other configurations.
std::shared_ptr<const QuantizedModel> quantizeModel(const Engine& engine,
                                                    const Configuration& config,
                                                    const Observations& observations,
                                                    ParameterCache& cache,
                                                    const JobContext* job = nullptr);
/// The same for one of many configurations of which none is asked for again: its parts are kept,
/// the whole is not, and of its layers only the one with this lead is described. On this thread.
QuantizedVariant quantizeVariant(const Engine& engine, const Configuration& config,
                                 const Observations& observations, ParameterCache& cache,
                                 NodeId lead);

}  // namespace quantscope
