#pragma once

#include <filesystem>
#include <memory>

#include "base/file_stamp.h"
#include "base/job_context.h"
#include "engine/engine.h"
#include "graph/graph.h"

namespace quantscope {

/// A model that is ready to run.
struct LoadedModel {
  std::filesystem::path file;
  FileStamp stamp;  ///< of the file, when it was read
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Engine> engine;
};

/// Imports a model and makes its kernels. Throws Error naming the file.
LoadedModel loadModel(const std::filesystem::path& file, JobContext& job);

}  // namespace quantscope
