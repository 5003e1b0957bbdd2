#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/files/file_stamp.h"
#include "base/job_context.h"
#include "engine/engine.h"
#include "graph/graph.h"

namespace quantscope {

/// A model that is ready to run.
struct LoadedModel {
  std::filesystem::path file;
  std::vector<StampedFile> files;  ///< it, and those with external data, as they were read
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Engine> engine;
};

/// False once one of the model's files has changed on disk.
bool upToDate(const LoadedModel& model);

/// Imports a model and makes its kernels. Throws Error naming the file.
LoadedModel loadModel(const std::filesystem::path& file, JobContext& job);

}  // namespace quantscope
