#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "base/job_context.h"
#include "calibration/observers/observations.h"
#include "calibration/sample_set.h"
#include "engine/engine.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Class indices of the first samples; none where they are not known.
struct Labels {
  std::vector<std::int64_t> classes;
  std::string source;  ///< the file that they come from, for messages
};

class OutputErrors;

/// Throws InvalidData if there are labels and they fit none of the outputs, with the first label
/// that is no class: accuracy is what they were given for.
/// Call it after at least one feed was added.
void requireLabelledOutput(const std::vector<OutputErrors>& outputs, const Labels& labels);

/// Receives the result of the samples so far.
using AnalysisSink = std::function<void(AnalysisResult&&)>;

/// Runs every sample through the float and the quantized network and reports their differences: per
/// layer (local and accumulated, per channel and sample) and at the outputs. Bit-identical for any
/// number of threads. Throws InsufficientData where the source has no samples; UnsupportedOperation
/// where not one layer can be computed; InvalidData where the labels fit no output.
///
/// Values and errors that `memory` holds for these samples are not computed again; new ones are
/// added to it.
///
/// `most`: feeds to stop after.
///
/// `publish` (optional) receives intermediate results, the first one after the first feed. The
/// interval grows with the time that publishing takes.
AnalysisResult analyze(const Engine& engine, const Configuration& config,
                       const QuantizedModel& model, const Observations& observations,
                       SampleSet& samples, const Labels& labels, AnalysisMemory& memory,
                       JobContext& job, const AnalysisSink& publish = {},
                       std::size_t most = std::numeric_limits<std::size_t>::max());

/// The same against the float network `reference`, of which `engine` has other constants: a model
/// under repair, against the one that it has to come close to.
AnalysisResult analyzeAgainst(const Engine& reference, const Engine& engine,
                              const Configuration& config, const QuantizedModel& model,
                              const Observations& observations, SampleSet& samples,
                              const Labels& labels, AnalysisMemory& memory, JobContext& job);

/// The float values that analyze() asks for under a configuration, whatever its parameters are:
/// worth keeping when the same samples run for another reason before.
std::vector<ValueId> valuesToAnalyze(const Engine& engine, const PrecisionConfig& config);

/// The rows of an analysis before any sample ran: the layers, without errors.
AnalysisResult describeLayers(const Engine& engine, const Configuration& config,
                              const QuantizedModel& model, const Observations& observations);

}  // namespace quantscope
