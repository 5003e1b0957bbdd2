#pragma once

#include <functional>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "base/ranks.h"
#include "calibration/calibrate.h"

namespace quantscope {

/// Calibrates on one rank for all of them, on the threads of all that run on its machine: they
/// wait.
Observations calibrateOnOne(const Engine& engine, SampleSet& samples,
                            const ObservationSettings& settings, Ranks& ranks, JobContext& job);

/// Measures items of a sensitivity analysis together with other ranks. They share the samples, not
/// the items: each runs the network that the items start from on its own samples only. `note` gets
/// the rows of `items` on the first rank, group by group. All ranks call it; which items are open
/// is the first one's matter. Throws what Sensitivity throws.
void measureTogether(Sensitivity& sensitivity, const std::vector<std::size_t>& items,
                     SampleSet& samples, AnalysisMemory& memory, Ranks& ranks, JobContext& job,
                     const std::function<void(const std::vector<SensitivityRow>&)>& note);

}  // namespace quantscope
