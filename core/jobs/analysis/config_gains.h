#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/errors/worst_output.h"
#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The effect of another configuration on a network.
struct ConfigGain {
  /// SQNR of the worst output less that of the configuration as it is; none where nothing is
  /// compared.
  std::optional<double> gainDb;
  double bytes = 0;       ///< of all constants, more than now
  bool measured = false;  ///< on all samples; else estimated: from gradients, or the first sample

  friend bool operator==(const ConfigGain&, const ConfigGain&) = default;
};

/// By configuration; nullopt if it is not known yet, or if the configuration cannot be applied:
/// where it contradicts the model, or asks for ranges that the analysis has not observed.
using ConfigGains = std::vector<std::optional<ConfigGain>>;
using ConfigGainSink = std::function<void(const ConfigGains&)>;

/// Tries configurations on a complete analysis, without calibrating anew. `publish` (may be empty)
/// gets estimates first (estimateConfigGains(), else a run of the first sample), then what is
/// measured: the gains of an analysis under each, bit for bit. Throws Cancelled, and
/// InsufficientData where a configuration asks for more calibration samples than there were.
ConfigGains measureConfigGains(const AnalysisSnapshot& base,
                               const std::vector<Configuration>& configs, AnalysisMemory& memory,
                               JobContext& job, const ConfigGainSink& publish);

}  // namespace quantscope
