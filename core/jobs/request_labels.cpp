#include "jobs/request_labels.h"

#include "calibration/open_samples.h"

namespace quantscope {

Labels labelsOf(const AnalysisRequest& request) {
  const std::filesystem::path& file = request.labels;
  return file.empty() ? Labels() : Labels{readLabels(file), file.string()};
}

}  // namespace quantscope
