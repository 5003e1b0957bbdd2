#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "base/ranks.h"
#include "jobs/load_model.h"

namespace quantscope {

/// One of several runs that share the items of a sensitivity analysis.
struct Shard {
  std::size_t number = 1;  ///< 1 … count
  std::size_t count = 1;
};

/// The most sensitive layers in a wider type.
struct WideningJob {
  QuantType type = QuantType::Float32;
  std::vector<std::size_t> counts;  ///< of layers; empty = wideningSteps()
};

/// The settings of a sensitivity run.
struct SensitivityJob {
  SensitivityRequest request;
  std::size_t batch = 1;  ///< samples per calibration batch
  std::optional<Shard> shard;
  /// A file that keeps finished rows and provides those finished earlier; new, or of the same job.
  std::optional<std::filesystem::path> resume;
  /// Rows are estimated from gradients, and those that look most sensitive measured after all.
  std::optional<GradientEstimateSettings> estimate;
  std::size_t measured = 0;  ///< how many of them; only with `estimate`, and without a shard
  /// Adds the curve of widening; see measureWidening(). Not with a shard or an estimate.
  std::optional<WideningJob> widening;
  Ranks* ranks = nullptr;  ///< ranks that measure together; null = no others
  /// Called once when the first rows are measured: from then on a job that is cancelled ends with
  /// the rows that it has, marked incomplete and without `widening`; before, it throws Cancelled,
  /// as it always does where this is empty. Not with ranks or an estimate.
  std::function<void()> keepsFinished;
  /// Gets sentences that a user should see beside the result; may be empty.
  std::function<void(const std::string& sentence)> notice;
};

/// Calibrates, measures every layer in every type, and returns the result as JSON text: without a
/// shard that of the whole, bit for bit what mergeSensitivity() makes of all shards. A result that
/// has not all rows, or not the curve of widening that was asked for, says `"complete": false`, and
/// may be resumed from. Empty on other ranks than the first. Throws InvalidParameters for a request
/// that gradients cannot answer, InvalidData for a file to resume from of another model, data,
/// setting, backend, program or kind of processor, UnsupportedOperation where no output can be
/// computed, and what requireWidenable() and Sensitivity throw; rows finished before are in the
/// file.
std::string runSensitivity(const LoadedModel& model, const Configuration& config,
                           SampleSet& samples, SampleSet& calibration, const Labels& labels,
                           const SensitivityJob& what, AnalysisMemory& memory, JobContext& job);

/// Puts the results of all shards together. Throws InvalidData, naming the file and the place in
/// it, for one that is no such result or incomplete, for shards of different jobs or origins, for a
/// shard or a row that is there twice, and for a missing one.
std::string mergeSensitivity(const std::vector<std::filesystem::path>& files);

}  // namespace quantscope
