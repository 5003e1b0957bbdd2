#include "jobs/other_thresholds.h"

#include "jobs/find_faults.h"

namespace quantscope {

bool onlyThresholdsDiffer(const AnalysisSnapshot& known, const AnalysisRequest& request) {
  if (known.stage != AnalysisSnapshot::Stage::Complete || !sameData(known.request, request))
    return false;
  PrecisionConfig config = known.request.config;
  const double percentile = config.detectors.referencePercentile;
  config.detectors = request.config.detectors;
  return config == request.config && percentile == config.detectors.referencePercentile;
}

SnapshotPtr withThresholds(const SnapshotPtr& known, const AnalysisRequest& request) {
  if (known->request.config.detectors == request.config.detectors) return known;
  auto snapshot = std::make_shared<AnalysisSnapshot>(*known);
  snapshot->request = request;
  snapshot->detected = std::make_shared<const DetectorReport>(
      findFaults(snapshot->model, request.config, *snapshot->quantized, *snapshot->observations,
                 *snapshot->result, DetectorMode::Quantscope));
  return snapshot;
}

}  // namespace quantscope
