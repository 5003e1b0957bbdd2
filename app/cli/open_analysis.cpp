#include "open_analysis.h"

#include "open_data.h"

namespace quantscope::cli {
namespace {

AnalysisRequest requestOf(const DataOptions& options, DetectorMode detectors,
                          const LoadedModel& model) {
  AnalysisRequest request{.model = model.file,
                          .data = options.data,
                          .calibration = {},
                          .labels = {},
                          .source = sourceOptions(options),
                          .batch = options.batch,
                          .config = openConfig(options, model),
                          .detectors = detectors};
  if (options.calibration && *options.calibration != options.data) {
    request.calibration = *options.calibration;
  }
  if (options.labels) request.labels = *options.labels;
  return request;
}

}  // namespace

OpenedAnalysis openAnalysis(const std::string& model, const DataOptions& options,
                            DetectorMode detectors, JobContext& job) {
  OpenedAnalysis opened;
  opened.model = loadModel(model, job);
  opened.request = requestOf(options, detectors, opened.model);
  OpenedData data = openAllData(options, *opened.model.graph, job);
  opened.labels = std::move(data.labels);
  opened.data = std::move(data.data);
  opened.calibration = std::move(data.calibration);
  return opened;
}

}  // namespace quantscope::cli
