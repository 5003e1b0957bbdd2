#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Small parts of the network that cost conversions between float and codes on both sides.
///
/// A hole: up to 8 layers that compute in float, all of whose data come from outputs that are
/// codes, and whose results are all read as codes. Named by its first layer. Statistic: how many
/// values are converted; threshold 1. A warning where the backend could quantize all of it, else
/// for information.
///
/// A lonely layer: the reverse, a quantized layer without weights that reads what layers in float
/// compute, and whose readers all compute in float. Statistic and threshold likewise; a warning.
/// With weights the smaller weights are worth the conversions.
std::vector<Finding> findConversionIslands(const DetectorInput& input);

}  // namespace quantscope
