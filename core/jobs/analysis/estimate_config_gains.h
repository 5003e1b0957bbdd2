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
/// The changed layers' noise n around the float network, as estimateErrors() has it on no more than
/// 4 samples, counts beside the noise N that the network has now: 10·lg((N + Σn) / (N + Σn')), n'
/// of what they become. To the first order that is the sum of independent errors; it stays bounded
/// where errors cancel. On most networks it is nearer than a run of the first sample; neither ranks
/// small gains.
///
/// `configurations` share the graph of `base`, which is complete; `changes`: of each, from `base`
/// to it. Throws Cancelled.
std::vector<std::optional<double>> estimateConfigGains(
    const AnalysisSnapshot& base,
    const std::vector<std::shared_ptr<const QuantizedModel>>& configurations,
    const std::vector<QuantizationChanges>& changes, JobContext& job);

}  // namespace quantscope
