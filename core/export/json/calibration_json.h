#pragma once

#include <string>

#include "calibration/observers/observations.h"
#include "graph/graph.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The file that `calibrate` writes: the observations of every value, and the parameters that the
/// configuration derives from them. Every value has parameters for each type and observer that the
/// configuration asks activations or outputs for: those of its group if the configuration quantizes
/// it so, else those of the value by itself. `synthetic`: the samples are synthetic. Throws
/// Cancelled.
std::string calibrationJson(const Graph& graph, const Observations& observations,
                            const QuantizedModel& model, const PrecisionConfig& config,
                            bool synthetic, const JobContext& job);

}  // namespace quantscope
