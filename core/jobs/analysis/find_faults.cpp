#include "jobs/analysis/find_faults.h"

namespace quantscope {

DetectorReport findFaults(const LoadedModel& model, const Configuration& config,
                          const QuantizedModel& quantized, const Observations& observations,
                          const AnalysisResult& result, DetectorMode mode) {
  const ResolvedConfig resolved(*model.graph, *config.precision);
  const std::shared_ptr<const Backend> backend = findBackend(config.precision->backend);
  const ModelIndex index(*model.graph, quantized);
  const JudgedLayers layers(*model.engine, quantized, mode);
  return runDetectors({.engine = *model.engine,
                       .configuration = config,
                       .precision = resolved,
                       .backend = *backend,
                       .observations = observations,
                       .model = quantized,
                       .index = index,
                       .layers = layers,
                       .result = result,
                       .mode = mode});
}

}  // namespace quantscope
