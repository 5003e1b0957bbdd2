#pragma once

#include <string>
#include <utility>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/comparison.h"
#include "engine/engine.h"

namespace quantscope {

/// How long one sample takes in two compared models, estimated.
struct EstimatedTimes {
  double firstMs = 0;
  double secondMs = 0;
  std::string problem;  ///< why there is no estimate; empty = there is one
};

/// Times the layers of the first model, which has to be float, on this machine and on one thread
/// (measureLayerTimes()), and adds them up: all in float, and each in the type that its twin in the
/// second model computes in, with the conversions between. A twin computes in codes where its
/// weights and what it reads are codes, or where its operator takes codes; a layer without a twin
/// counts as float. Throws Cancelled.
EstimatedTimes estimateTimes(const Engine& first, const Engine& second,
                             const ModelComparison& comparison, const Feed& feed, JobContext& job);

}  // namespace quantscope
