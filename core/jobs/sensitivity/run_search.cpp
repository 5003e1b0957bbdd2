#include "jobs/sensitivity/run_search.h"

#include "analysis/errors/computable_outputs.h"
#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"

namespace quantscope {

OptimizedConfig runSearch(const LoadedModel& model, const Configuration& start, SampleSet& samples,
                          SampleSet& calibration, const Labels& labels,
                          const SearchRequest& request, std::size_t batch, AnalysisMemory& memory,
                          JobContext& job) {
  requireComputableOutput(*model.engine);
  requireRealOutput(*model.graph);
  const Observations observations =
      calibrate(*model.engine, calibration, observationSettings(start, batch), job);
  OptimizedConfig found =
      searchMeasured(model.engine, start, observations, samples, labels, request, memory, job);
  found.synthetic = samples.synthetic() || calibration.synthetic();
  return found;
}

}  // namespace quantscope
