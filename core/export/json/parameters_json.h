#pragma once

#include <nlohmann/json_fwd.hpp>

#include "precision/parameters/range_sources.h"

namespace quantscope {

/// All that is applied to a layer:
///   {"weight": PARAMS, "weights": [PARAMS, …], "bias": PARAMS, "inputs": [PARAMS, …],
///    "output": PARAMS}
/// with null where there is none; "weight" is the first of the weights. PARAMS is {"value",
/// "type", "symmetric", "scale": […], "zero_point": […], "axis", "block_size"}; axis and block size
/// are null where they do not apply. Weights, edges and outputs also have "range_source" (see
/// RangeSource), "range" (the smallest and the largest number of the grid, of several grids the
/// outermost), "qmin" and "qmax" (the codes in use, of integers) and "threshold" (of ternary, one
/// per scale), null where they do not apply. A weight has "input", its place, too. A bias is of
/// type "int32", "int64" or "fp32". Edges and outputs also have "mode", "point" (as configurations
/// name it), "group" (its index), "observer" and "seat": at-output, on-edge, reuses-output,
/// reuses-edge; scale and zero point are null where no calibration sample reached them, and empty
/// where ranges are dynamic.
nlohmann::ordered_json parametersJson(const QuantizedModel& model, const LayerQuantization& layer,
                                      const Graph& graph, const RangeSources& sources);

}  // namespace quantscope
