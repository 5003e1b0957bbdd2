#include "jobs/advise.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "detectors/accept_all.h"
#include "search/advice/forward_selection.h"

namespace quantscope {
namespace {

struct Advising {
  Advising(const AnalysisSnapshot& analysis, AnalysisMemory& memory, JobContext& job,
           const std::set<std::string>& aside)
      : engine(*analysis.model.engine),
        config(analysis.request.config),
        labels{readLabelsOf(analysis)},
        candidates(findCandidateEdits(analysis.model.engine, config, analysis.quantized,
                                      *analysis.detected, aside)),
        suggestions(editBetween(config,
                                acceptAll(engine, config, *analysis.detected, job, aside).config,
                                "all suggestions")),
        runs(engine, config, *analysis.observations, *analysis.data, labels, memory, job) {}

  static Labels readLabelsOf(const AnalysisSnapshot& analysis) {
    const std::filesystem::path& file = analysis.request.labels;
    return file.empty() ? Labels() : Labels{readLabels(file), file.string()};
  }

  const Engine& engine;
  const Configuration& config;
  Labels labels;
  std::vector<CandidateEdit> candidates;
  ConfigEdit suggestions;  // all of them at once
  TrialRuns runs;
};

std::string worstOutputName(const std::vector<OutputResult>& outputs) {
  const OutputResult* worst = nullptr;
  for (const OutputResult& output : outputs) {
    if (!output.error.sqnrDb) continue;
    if (worst == nullptr || *output.error.sqnrDb < *worst->error.sqnrDb) worst = &output;
  }
  return worst == nullptr ? std::string() : worst->value;
}

}  // namespace

Advice advise(const AnalysisSnapshot& analysis, AnalysisMemory& memory, JobContext& job,
              const std::set<std::string>& aside) {
  Advising with(analysis, memory, job, aside);
  const SelectedEdits selected = selectForward(with.engine, with.config, with.suggestions,
                                               with.candidates, AdviceLimits(), with.runs);
  Advice advice;
  advice.config = selected.end->config;
  if (selected.tookFirst) advice.changes.push_back(with.suggestions.sentence);
  for (const std::size_t candidate : selected.taken) {
    advice.changes.push_back(with.candidates[candidate].what);
  }
  advice.fromDb = selected.start->point.sqnrDb;
  advice.toDb = selected.end->point.sqnrDb;
  advice.bytes = selected.end->point.bytes - selected.start->point.bytes;
  return advice;
}

std::optional<NextChange> bestNextChange(const AnalysisSnapshot& analysis, AnalysisMemory& memory,
                                         JobContext& job, const std::set<std::string>& aside) {
  Advising with(analysis, memory, job, aside);
  const std::optional<BestChange> best =
      findBestChange(with.engine, with.config, with.candidates, AdviceLimits(), with.runs);
  if (!best) return std::nullopt;
  const CandidateEdit& candidate = with.candidates[best->candidate];
  NextChange next;
  next.edit = candidate.editOn(with.config, with.engine.graph());
  if (candidate.nodes.size() == 1) next.node = candidate.nodes.front();
  next.output = worstOutputName(best->start->all);
  next.fromDb = best->start->point.sqnrDb;
  next.toDb = best->end->point.sqnrDb;
  next.bytes = best->end->point.bytes - best->start->point.bytes;
  return next;
}

std::string adviceText(const Advice& advice, double bytesBefore) {
  std::ostringstream text;
  text << advice.changes.size() << (advice.changes.size() == 1 ? " change" : " changes");
  text << std::fixed << std::setprecision(1);
  if (advice.fromDb && advice.toDb) {
    text << ": " << *advice.fromDb << " → " << *advice.toDb << " dB";
  }
  if (bytesBefore > 0) {
    text << ", " << std::showpos << 100 * advice.bytes / bytesBefore << " % bytes";
  }
  return text.str();
}

}  // namespace quantscope
