#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// What gradients predict that other configurations gain, before any is measured: of each the SQNR,
/// in dB, of the output that is the worst now, less that of now. None where a layer that changes
/// has no gradient, or where nothing is compared.
///
/// The changed layers' noise around the float network, as estimateErrors() has it on no more than 4
/// samples, counts beside the noise N that the network has now: 10·lg((N + Σ before) / (N + Σ
/// after)). To the first order that is the sum of independent errors; it stays bounded where errors
/// cancel. The error of these figures is a half to a sixth of that of a run of the first sample.
///
/// `configurations` share the graph of `base`, which is complete. Throws Cancelled.
std::vector<std::optional<double>> estimateGains(
    const AnalysisSnapshot& base,
    const std::vector<std::shared_ptr<const QuantizedModel>>& configurations, JobContext& job);

}  // namespace quantscope
