#include "jobs/work_done.h"

#include <cmath>

#include "analysis/errors/worst_output.h"
#include "jobs/analysis/config_gains.h"

namespace quantscope {

namespace {

bool changesConfiguration(const Document::Edit& edit) {
  const auto* naming = std::get_if<Naming>(&edit);
  return std::holds_alternative<ConfigEdit>(edit) ||
         (naming != nullptr && !naming->change.steps.empty());
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
  const ConfigGains gains = measureConfigGains(analysis, {document.start()}, memory, job, {});
  const std::optional<ConfigGain>& start = gains.front();
  if (!start || !start->gainDb || !std::isfinite(*start->gainDb)) return work;
  work.startDb = *now + *start->gainDb;
  work.startBytes = static_cast<double>(analysis.result->summary.quantizedBytes) + start->bytes;
  return work;
}

}  // namespace quantscope
