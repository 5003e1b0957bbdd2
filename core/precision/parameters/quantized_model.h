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
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// What became of one layer's weights, bias and activations.
struct LayerQuantization {
  FusedLayer layer;
  PrecisionRule rule;  ///< the entry of the configuration that its precision comes from
  bool quantized = false;
  bool dataMover = false;
  std::optional<QuantParams> weight;      ///< of the first of its weights
  std::optional<QuantParams> activation;  ///< of the first quantized input edge
  std::optional<QuantParams> output;
  std::size_t weightElements = 0;  ///< of all its weights
  std::size_t weightScales = 0;    ///< likewise
  std::size_t biasOverflows = 0;   ///< bias elements beyond int32
  bool equalized = false;          ///< what goes in is multiplied by the factors of Repairs
  /// Why a point of the layer stayed float although it was to be quantized; empty = it did not.
  std::string notCalibrated;
};

/// A graph under a configuration: the parameters to apply, and the layers to report on.
struct QuantizedModel {
  AppliedQuantization applied;
  WeightRules weightRules;
  std::vector<LayerQuantization> layers;  ///< in execution order
  ObserverGroups groups;
  std::vector<std::optional<QuantParams>> groupParams;  ///< by group; none = not calibrated
  std::vector<NotSupported> notSupported;  ///< asked for, and applied, but not on the backend
  std::vector<std::string> notices;        ///< for the user: entries without effect, and these
};

/// Resolves `config` on the engine's graph with the ranges that calibration observed.
/// Throws InvalidConfiguration for entries that match no node, an unknown backend, contradictions
/// inside a group, encodings that contradict the precision, the shape or each other, factors that
/// are not one per input channel; InsufficientData where fewer samples were seen than the
/// configuration asks for; Cancelled. Without a job it all runs on this thread.
QuantizedModel quantizeModel(const Engine& engine, const Configuration& config,
                             const Observations& observations, const JobContext* job = nullptr);

}  // namespace quantscope
