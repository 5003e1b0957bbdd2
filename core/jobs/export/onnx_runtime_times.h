#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/load_model.h"

namespace quantscope {

/// A model, and a feed of it.
struct TimedModel {
  const LoadedModel& model;
  const Feed& feed;
};

/// ONNX Runtime's times for some models.
struct OnnxRuntimeTimes {
  std::vector<double> ms;  ///< of one sample, by model; empty where they were not timed
  std::string version;     ///< "1.30.0"
  std::string problem;     ///< why they were not timed
};

/// Times models on their feeds with ONNX Runtime's package for Node, in turns, on one thread, with
/// its graph optimizations; medians. `folder` as in askOnnxRuntime(), whose errors it throws.
OnnxRuntimeTimes timeWithOnnxRuntime(const std::vector<TimedModel>& models,
                                     const std::optional<std::filesystem::path>& folder,
                                     JobContext& job);

}  // namespace quantscope
