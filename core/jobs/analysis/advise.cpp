#include "jobs/analysis/advise.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "base/number_text.h"
#include "detectors/changes/accept_all.h"
#include "jobs/request_labels.h"
#include "precision/edits/voided_encodings.h"
#include "search/advice/backward_elimination.h"
#include "search/advice/forward_selection.h"
#include "search/advice/idle_entries.h"
#include "search/advice/layers_aside.h"
#include "search/measured/additive_errors.h"

namespace quantscope {
namespace {

// With at least this SQNR of the worst output in dB, no other way is searched.
constexpr double kGood = 20;

struct Advising {
  Advising(const AnalysisSnapshot& shown, AnalysisMemory& cache, JobContext& context,
           const std::set<std::string>& notToFollow)
      : analysis(shown),
        memory(cache),
        job(context),
        aside(notToFollow),
        engine(*shown.model.engine),
        config(shown.request.config),
        nodes(nodesAside(engine.graph(), *shown.quantized, *shown.detected, aside)),
        labels(labelsOf(shown.request)),
        candidates(findCandidateEdits(shown.model.engine, config, shown.quantized, *shown.detected,
                                      aside, context)),
        runs(engine, config, *shown.observations, *shown.data, labels, memory, job) {}

  // Joint configurations that can help although none of their changes helps alone: all suggestions;
  // types that an integer program chooses from each layer's own noise; all types wide except where
  // the limits forbid it.
  std::vector<ConfigEdit> wholes(const AdviceLimits& limits) {
    const Configuration all = acceptAll(engine, config, *analysis.detected, job, aside);
    ConfigEdit suggested = editBetween(config, all, "follow all suggestions");
    std::vector<ConfigEdit> edits{
        voidingEncodings(without(std::move(suggested), nodes), engine, config)};
    const std::vector<QuantType> types{QuantType::Int16, QuantType::Float16, QuantType::Float32};
    const std::optional<SearchSpace> space = spaceOf(types);
    if (!space) return edits;
    IntegerProgram program =
        programOf(*space, measureAlone(*space, config, runs).noise, ProgramCost::Bytes);
    double bytes = 0;   // of the weights as configured
    double chosen = 0;  // of the multiply-accumulates, likewise: what runs above 8 bits by choice
    for (const auto& unit : program.units) {
      bytes += unit.front().cost;
      chosen += unit.front().share;
    }
    const QuantizationSummary& summary = analysis.result->summary;
    const double always = std::max(0.0, summary.macsAbove8Bits.value_or(0) - chosen);
    const double room = (limits.bytes - 1) * static_cast<double>(summary.quantizedBytes);
    const double worst = worstOutputSqnr(analysis.result->outputs).value_or(kGood);
    const double macs = std::max(limits.macsAbove8Bits, summary.macsAbove8Bits.value_or(0));
    for (const double part : {0.2, 0.5, 1.0}) {
      program.mostShare = part * (macs - always);
      const std::optional<Proposal> found = propose(program, bytes + part * room, job);
      if (!found) continue;
      edits.push_back(editOf(*space, found->options, "wider types where layers alone do most"));
    }
    if (worst < kGood) {
      const Trial now = runs.run(config, runs.quantize(config), "As configured");
      edits.push_back(editOf(*space, eliminateBackward(engine, *space, now, limits, runs),
                             "wider types where narrow ones do most together"));
    }
    return edits;
  }

  std::optional<SearchSpace> spaceOf(const std::vector<QuantType>& types) const {
    try {
      return without(findSearchSpace(analysis.model.engine, config, analysis.quantized,
                                     *analysis.observations, types, memory.parameters, job),
                     nodes);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::UnsupportedType) throw;
      return std::nullopt;
    }
  }

  const AnalysisSnapshot& analysis;
  AnalysisMemory& memory;
  JobContext& job;
  const std::set<std::string>& aside;
  const Engine& engine;
  const Configuration& config;
  std::set<std::string> nodes;  // of layers to leave alone
  Labels labels;
  std::vector<CandidateEdit> candidates;
  TrialRuns runs;
};

// What the configuration says in the end: later changes may have replaced earlier ones. Followers
// in fused patterns go with their leads.
std::vector<AdvisedChange> changesInWords(const Advising& with, const Advice& advice,
                                          const std::shared_ptr<const QuantizedModel>& model) {
  const TypeChoices choices(with.analysis.model.engine, advice.config, model);
  std::vector<NodeChange> own;
  std::ranges::copy_if(advice.layers, std::back_inserter(own), [&](const NodeChange& change) {
    return choices.followed(change.node).empty();
  });
  return inGroups(own);
}

}  // namespace

Advice advise(const AnalysisSnapshot& analysis, AnalysisMemory& memory, JobContext& job,
              const std::set<std::string>& aside) {
  Advising with(analysis, memory, job, aside);
  const AdviceLimits limits;
  SelectedEdits selected = selectForward(with.engine, with.config, with.wholes(limits),
                                         with.candidates, limits, with.runs);
  if (selected.first && selected.end->point.sqnrDb.value_or(kGood) < kGood) {
    // Step by step may lead further than what looked best as a whole.
    SelectedEdits other =
        selectForward(with.engine, with.config, {}, with.candidates, limits, with.runs);
    if (worstNoise(other.end->used) < worstNoise(selected.end->used)) selected = std::move(other);
  }
  // What promises most for its cost need not be what helps most.
  const std::optional<BestChange> single =
      findBestChange(with.engine, with.config, with.candidates, limits, with.runs);
  if (single && worstNoise(single->end->all) < worstNoise(selected.end->all)) {
    const std::vector<ConfigEdit> first{
        with.candidates[single->candidate].editOn(with.config, with.engine)};
    selected = selectForward(with.engine, with.config, first, with.candidates, limits, with.runs);
  }
  Advice advice;
  const Graph& graph = with.engine.graph();
  advice.config = withoutIdleEntries(with.engine, with.config, *selected.end);
  advice.layers = nodeChanges(graph, with.config, advice.config);
  advice.changes = changesInWords(with, advice, selected.end->model);
  advice.fromDb = selected.start->point.sqnrDb;
  advice.toDb = selected.end->point.sqnrDb;
  advice.outputs = outputChanges(selected.start->all, selected.end->all);
  advice.bytes = selected.end->point.bytes - selected.start->point.bytes;
  if (!with.runs.holdsOut()) advice.notices.emplace_back(kNothingHeldOut);
  const std::string recordings = with.runs.recordings();
  if (!recordings.empty()) advice.notices.push_back(recordings);
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
  next.edit = candidate.editOn(with.config, with.engine);
  next.edit.sentence = changeWords(std::move(next.edit.sentence));
  if (candidate.nodes.size() == 1) next.node = candidate.nodes.front();
  if (const OutputResult* worst = worstOutput(best->start->all)) next.output = worst->value;
  if (const OutputResult* worst = worstOutput(best->end->all)) next.outputAfter = worst->value;
  next.fromDb = best->start->point.sqnrDb;
  next.toDb = best->end->point.sqnrDb;
  next.outputs = outputChanges(best->start->all, best->end->all);
  next.bytes = best->end->point.bytes - best->start->point.bytes;
  return next;
}

std::string adviceText(const Advice& advice, double bytesBefore) {
  std::size_t count = 0;
  for (const AdvisedChange& change : advice.changes) count += change.count;
  std::string text = counted(count, "change");
  if (advice.fromDb && advice.toDb) {
    text += ": " + fixedNumber(*advice.fromDb, 1) + " → " + decibelText(*advice.toDb);
  }
  if (bytesBefore > 0) {
    text += ", " + signedNumber(100 * advice.bytes / bytesBefore, 1) + " % bytes";
  }
  for (const OutputChange& output : advice.outputs) {
    if (!output.fromTop1 || !output.toTop1 || *output.toTop1 >= *output.fromTop1) continue;
    text += ", top-1 agreement of " + output.output + " " + percent(*output.fromTop1) + " → " +
            percent(*output.toTop1);
  }
  return text;
}

}  // namespace quantscope
