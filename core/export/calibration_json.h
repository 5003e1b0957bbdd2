#pragma once

#include <string>

#include "calibration/observations.h"
#include "graph/graph.h"
#include "precision/quantized_model.h"

namespace quantscope {

/// What calibration saw of every value, and the parameters that the configuration makes of it, as
/// the file that `calibrate` writes. Parameters of a value that shares its grid are those of its
/// group; of a value that the configuration leaves alone, those of the default activation.
std::string calibrationJson(const Graph& graph, const Observations& observations,
                            const QuantizedModel& model, const PrecisionConfig& config);

}  // namespace quantscope
