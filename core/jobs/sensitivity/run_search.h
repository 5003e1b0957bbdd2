#pragma once

#include "jobs/load_model.h"
#include "search/measured/measured_search.h"

namespace quantscope {

/// Calibrates and searches; see searchMeasured(). `batch`: samples per calibration batch.
OptimizedConfig runSearch(const LoadedModel& model, const Configuration& start, SampleSet& samples,
                          SampleSet& calibration, const Labels& labels,
                          const SearchRequest& request, std::size_t batch, AnalysisMemory& memory,
                          JobContext& job);

}  // namespace quantscope
