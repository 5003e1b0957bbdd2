#include "jobs/load_model.h"

#include <algorithm>

#include "base/error.h"
#include "onnx/import.h"

namespace quantscope {

bool upToDate(const LoadedModel& model) {
  return std::ranges::all_of(model.files, &StampedFile::unchanged);
}

LoadedModel loadModel(const std::filesystem::path& file, JobContext& job) {
  job.beginStage("Loading", 0);
  LoadedModel model;
  model.file = file;
  try {
    ImportedModel imported = importWithContent(file);
    model.graph = std::move(imported.graph);
    model.files = std::move(imported.files);
    if (!upToDate(model)) {
      throw Error(ErrorCode::InvalidModel, "the model has changed while it was read", {},
                  "open it again when it is complete");
    }
    job.throwIfCancelled();
    model.engine = std::make_shared<Engine>(model.graph, job.workers(), imported.content);
  } catch (const Error& error) {
    const std::string remedy = error.remedy().empty() ? "export the model again" : error.remedy();
    throw Error(error.code(), error.problem(), error.place(), remedy)
        .at({.file = file.string(), .node = {}, .value = {}});
  }
  return model;
}

}  // namespace quantscope
