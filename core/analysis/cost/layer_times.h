#pragma once

#include "analysis/cost/cost_table.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Times every layer of a model on this machine, on one thread, with the shapes that `feed` gives
/// it. Convolutions and matrix products with oneDNN in float32, bf16 and int8, as far as it has
/// kernels here; operators fused with them take no time. Other layers in float32 as the engine runs
/// them. Conversions of all values between layers from float32 to 8 bits and back.
///
/// All other types are estimates: what the type saves of reading and writing, at the speed of a
/// copy of that size, is taken off the time in float32. Throws Cancelled.
CostTable measureLayerTimes(const Engine& engine, const QuantizedModel& model, const Feed& feed,
                            const JobContext& job);

}  // namespace quantscope
