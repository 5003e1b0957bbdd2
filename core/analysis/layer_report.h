#pragma once

#include <string>

#include "analysis/analysis_result.h"
#include "analysis/errors/layer_errors.h"
#include "calibration/observers/observations.h"
#include "precision/config/precision_config.h"

namespace quantscope {

/// The row of one layer: its name and kind, its quantized types, and its errors.
LayerResult layerResult(const TwinSetup& setup, const Observations& observations,
                        const LayerErrors& errors, std::size_t layer);

/// The applied type, in the terms of a configuration.
AppliedType appliedType(const QuantParams& params);

/// "weights int8 symmetric per-channel, activations uint8 asymmetric per-tensor static", and
/// whether single nodes have entries
std::string describeDefault(const PrecisionConfig& config);

/// Nodes that could not be run, and layers that no sample reached.
std::vector<NotComputed> listNotComputed(const Evaluator& evaluator, const QuantizedModel& model);

}  // namespace quantscope
