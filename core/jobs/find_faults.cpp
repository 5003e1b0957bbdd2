#include "jobs/find_faults.h"

namespace quantscope {

DetectorReport findFaults(const LoadedModel& model, const PrecisionConfig& config,
                          const QuantizedModel& quantized, const Observations& observations,
                          const AnalysisResult& result, DetectorMode mode) {
  const ResolvedConfig resolved(*model.graph, config);
  const std::shared_ptr<const Backend> backend = findBackend(config.backend);
  const ModelIndex index(*model.graph, quantized);
  return runDetectors({.engine = *model.engine,
                       .precision = resolved,
                       .backend = *backend,
                       .observations = observations,
                       .model = quantized,
                       .index = index,
                       .result = result,
                       .mode = mode});
}

}  // namespace quantscope
