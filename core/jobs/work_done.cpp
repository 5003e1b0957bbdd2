#include "jobs/work_done.h"

#include <cmath>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "calibration/calibrate.h"
#include "jobs/analysis/config_gains.h"
#include "jobs/quantize_model.h"

namespace quantscope {

namespace {

// The analysis with observations for `start`, too, where an observer of it was edited away.
AnalysisSnapshot observedFor(const Configuration& start, const AnalysisSnapshot& analysis,
                             JobContext& job) {
  AnalysisSnapshot observed = analysis;
  const AnalysisRequest& request = analysis.request;
  const ObservationSettings wanted = observationSettings(start, request.batch);
  if (givesRangesOf(observationSettings(request.config, request.batch), wanted)) return observed;
  observed.request.config = start;
  observed.observations = std::make_shared<const Observations>(
      calibrate(*analysis.model.engine, *analysis.calibration, wanted, job));
  return observed;
}

ConfigGains gainsOfStart(const Document& document, const AnalysisSnapshot& analysis,
                         AnalysisMemory& memory, JobContext& job) {
  Configuration start = document.start();
  start.precision.edit([](PrecisionConfig& precision) { precision.calibrationSamples = 0; });
  try {
    return measureConfigGains(observedFor(start, analysis, job), {start}, memory, job, {});
  } catch (const Error& error) {
    // The file of a backend that was edited away may be gone.
    if (error.code() != ErrorCode::Io) throw;
    return {std::nullopt};
  }
}

}  // namespace

std::vector<std::string> configurationEdits(const Document& document) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < document.position(); ++i) {
    const Document::Edit& edit = document.journal()[i];
    if (changesConfiguration(edit)) sentences.push_back(sentenceOf(edit));
  }
  return sentences;
}

WorkDone workDone(const AnalysisSnapshot& analysis, const Document& document,
                  AnalysisMemory& memory, JobContext& job) {
  WorkDone work{.edits = configurationEdits(document)};
  const std::optional<double> now = worstOutputSqnr(analysis.result->outputs);
  if (work.edits.empty() || !now || !std::isfinite(*now)) return work;
  const ConfigGains gains = gainsOfStart(document, analysis, memory, job);
  const std::optional<ConfigGain>& start = gains.front();
  if (!start || !start->gainDb || !std::isfinite(*start->gainDb)) return work;
  work.startDb = *now + *start->gainDb;
  work.startBytes = static_cast<double>(analysis.result->summary.quantizedBytes) + start->bytes;
  return work;
}

}  // namespace quantscope
