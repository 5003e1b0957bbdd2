#include "jobs/analysis/simulate_gains.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "analysis/cost/summary.h"
#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/gain_estimate.h"
#include "analysis/sensitivity/sweep.h"
#include "base/error.h"
#include "calibration/sample_subset.h"
#include "calibration/spread_feeds.h"
#include "detectors/changes/apply_changes.h"
#include "detectors/findings/finding_order.h"
#include "detectors/findings/gain_severity.h"
#include "jobs/analysis/gain_margin.h"
#include "precision/edits/voided_encodings.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSecondsBetweenReports = 0.5;
// Before there is a pace to go by.
constexpr std::size_t kFirstCandidates = 4;
// Of the pace so far: suggestions for early layers take longer.
constexpr double kMaxGrowth = 4;
// Findings at a time while no report is due: enough for all threads.
constexpr std::size_t kMaxUnwatched = 64;
// Feeds that estimates look at: what a change does on the average differs little between samples.
constexpr std::size_t kEstimatedFeeds = 8;
// Suggestions that are run before the margin of estimates is looked at again.
constexpr std::size_t kRound = 8;

/// A suggestion to try. Those that lead to the same configuration are tried once.
struct Candidate {
  ConfigEdit edit;
  std::vector<std::size_t> findings;  ///< that suggest it: the report's, then the unproven ones
  std::optional<GainEstimate> estimate = {};
  NodeId first = {};                 ///< that it touches; none before that was looked at
  std::optional<double> bytes = {};  ///< more than now; likewise
};

/// The outputs with an SQNR, and what the configuration as it is makes of them.
struct Baseline {
  std::vector<ValueId> outputs;
  std::vector<OutputResult> results;
  std::size_t worst = 0;  ///< place of the one with the lowest SQNR

  ValueId worstOutput() const { return outputs[worst]; }
  double sqnrDb() const { return *results[worst].error.sqnrDb; }
};

std::optional<Baseline> findBaseline(const Graph& graph, const AnalysisResult& result) {
  Baseline found;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (!result.outputs[i].error.sqnrDb) continue;
    found.outputs.push_back(graph.outputs()[i]);
    found.results.push_back(result.outputs[i]);
    if (*found.results.back().error.sqnrDb < found.sqnrDb()) found.worst = found.results.size() - 1;
  }
  return found.outputs.empty() ? std::nullopt : std::optional(std::move(found));
}

std::size_t constantBytes(const QuantizationChanges& changes) {
  std::size_t bytes = 0;
  for (const auto& [node, applied] : changes) {
    if (applied == nullptr) continue;
    for (const auto& [input, tensor] : applied->quantization.constants) bytes += tensor.byteSize();
  }
  return bytes;
}

std::vector<Finding*> allFindings(DetectorReport& report) {
  std::vector<Finding*> all;
  for (Finding& finding : report.findings) all.push_back(&finding);
  for (Finding& finding : report.unproven) all.push_back(&finding);
  return all;
}

/// Candidates that can be had alone, and what each of them changes.
struct Applicable {
  std::vector<std::size_t> candidates;
  std::vector<QuantizationChanges> changes;
  std::size_t looked = 0;  ///< candidates that were looked at: those, and what cannot be had
};

class GainSimulation {
 public:
  GainSimulation(const LoadedModel& model, const Configuration& config,
                 const QuantizedModel& quantized, const Observations& observations,
                 const Baseline& before, SampleSet& samples, AnalysisMemory& memory,
                 JobContext& job, const DetectorReport& report, const GainSettings& settings,
                 const GainSink& soFar)
      : m_engine(*model.engine),
        m_config(config),
        m_quantized(quantized),
        m_observations(observations),
        m_before(before),
        m_samples(samples),
        m_memory(memory),
        m_job(job),
        m_report(report),
        m_settings(settings),
        m_soFar(soFar),
        m_atOnce(soFar ? kFirstCandidates : kMaxUnwatched),
        m_bytes(bytesOf(quantized)),
        m_some(std::make_unique<SampleSubset>(samples,
                                              spreadFeeds(samples.feedCount(), kEstimatedFeeds)),
               0),
        m_sweep(m_engine, quantized, before.outputs, samples, memory, job) {
    findCandidates();
  }

  DetectorReport run() {
    std::vector<std::size_t> candidates(m_candidates.size());
    std::iota(candidates.begin(), candidates.end(), std::size_t{0});
    if (isMuchWork()) {
      m_someSweep.emplace(m_engine, m_quantized, m_before.outputs, m_some, m_memory, m_job);
      estimateAll();
      runMostPromising(std::move(candidates));
    } else {
      tryInParts(candidates);
    }
    return reportSoFar();
  }

 private:
  void findCandidates() {
    const std::vector<Finding*> findings = allFindings(m_report);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      m_job.throwIfCancelled();
      const std::optional<Suggestion>& suggestion = findings[i]->suggestion;
      if (!suggestion || suggestion->changes.empty()) continue;
      ConfigEdit edit = editOf(m_config, m_engine.graph(), suggestion->changes, {});
      addCandidate(voidingEncodings(std::move(edit), m_engine, m_config), i);
    }
  }

  void addCandidate(ConfigEdit edit, std::size_t finding) {
    const auto found = std::ranges::find(m_candidates, edit, &Candidate::edit);
    if (found == m_candidates.end()) {
      m_candidates.push_back({std::move(edit), {finding}});
    } else {
      found->findings.push_back(finding);
    }
  }

  bool isMuchWork() const {
    if (m_candidates.empty() || m_samples.feedCount() < m_settings.leastFeeds) return false;
    const auto runs = static_cast<double>(m_candidates.size() * m_samples.sampleCount());
    return m_observations.productsPerSample() * runs >= m_settings.leastWork;
  }

  void estimateAll() {
    std::vector<std::size_t> all(m_candidates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::span<const std::size_t> rest = all; !rest.empty();) {
      const Applicable part = applicable(rest);
      rest = rest.subspan(part.looked);
      estimate(part);
    }
  }

  void estimate(const Applicable& part) {
    if (part.candidates.empty()) return;
    const auto gains = estimateGains(m_engine, m_quantized, m_before.worstOutput(), part.changes,
                                     m_some, m_memory, m_job);
    for (std::size_t i = 0; i < part.candidates.size(); ++i) {
      Candidate& candidate = m_candidates[part.candidates[i]];
      if (!part.changes[i].empty()) candidate.first = part.changes[i].front().first;
      candidate.estimate = gains[i];
    }
  }

  // Of findings that are only listed from a clear gain on, a smaller one may remain an estimate.
  double leastGainOf(std::size_t candidate) const {
    const bool listed = m_candidates[candidate].findings.front() < m_report.findings.size();
    return listed ? m_settings.leastGainDb : std::max(m_settings.leastGainDb, kClearGainDb);
  }

  bool settles(std::size_t candidate) const {
    return m_margin.settles(m_candidates[candidate].estimate, leastGainOf(candidate));
  }

  // One that changes the network early, then by what they promise.
  std::vector<std::size_t> byPromise(std::vector<std::size_t> open) const {
    const auto promise = [&](std::size_t i) {
      const std::optional<GainEstimate>& estimate = m_candidates[i].estimate;
      return estimate ? estimate->gainDb : -std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(open, std::ranges::greater(), promise);
    const auto earliest = std::ranges::min_element(open, {}, [&](std::size_t i) {
      const Candidate& candidate = m_candidates[i];
      return std::pair(!candidate.estimate || !candidate.first.valid(), candidate.first);
    });
    std::rotate(open.begin(), earliest, std::next(earliest));
    return open;
  }

  void runMostPromising(std::vector<std::size_t> open) {
    open = byPromise(std::move(open));
    while (true) {
      std::vector<std::size_t> round;
      std::erase_if(open, [&](std::size_t i) {
        const bool next = round.size() < kRound && !settles(i);
        if (next) round.push_back(i);
        return next;
      });
      if (round.empty()) break;
      tryInParts(m_tried == 0 ? round : worthAllSamples(round));
    }
    for (const std::size_t i : open) note(i, m_candidates[i].estimate->gainDb, true);
  }

  // Runs them on some of the samples, and leaves out those that this is enough for. What was
  // measured there is not measured again.
  std::vector<std::size_t> worthAllSamples(const std::vector<std::size_t>& round) {
    std::vector<std::size_t> open;
    for (std::span<const std::size_t> rest = round; !rest.empty();) {
      Applicable part = applicable(rest);
      rest = rest.subspan(part.looked);
      runOnSome(std::move(part), open);
    }
    return open;
  }

  void runOnSome(Applicable part, std::vector<std::size_t>& open) {
    const auto& [candidates, changes, looked] = part;
    if (candidates.empty()) return;
    part.changes.emplace_back();  // what there is now
    const std::vector<std::vector<OutputResult>> results =
        m_someSweep->run(changes, stageOf(candidates.size()));
    const OutputResult& before = results.back()[m_before.worst];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const OutputResult& after = results[i][m_before.worst];
      if (!m_margin.settles(before, after, leastGainOf(candidates[i]))) {
        open.push_back(candidates[i]);
        continue;
      }
      note(candidates[i], gainBetween(*before.error.sqnrDb, *after.error.sqnrDb), true);
      ++m_tried;
    }
  }

  void tryInParts(std::span<const std::size_t> candidates) {
    while (!candidates.empty()) {
      if (m_tried > 0 && m_soFar) m_soFar(reportSoFar());
      const Clock::time_point start = Clock::now();
      const std::size_t count =
          tryCandidates(candidates.first(std::min(m_atOnce, candidates.size())));
      candidates = candidates.subspan(count);
      const std::chrono::duration<double> took = Clock::now() - start;
      if (m_soFar) m_atOnce = countForNextReport(count, took.count());
    }
  }

  // How many there are at once changes nothing about the results.
  static std::size_t countForNextReport(std::size_t count, double took) {
    const double most = kMaxGrowth * static_cast<double>(count);
    const double wanted =
        static_cast<double>(count) * kSecondsBetweenReports / std::max(took, 1e-9);
    return static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
  }

  double bytesOf(const QuantizedModel& model) const {
    return static_cast<double>(summarize(m_engine, model, m_observations).quantizedBytes);
  }

  // Null where it cannot be had alone.
  std::shared_ptr<const QuantizedModel> modelOf(const Candidate& candidate) const {
    m_job.throwIfCancelled();
    try {
      std::shared_ptr<const QuantizedModel> changed = quantizeModel(
          m_engine, candidate.edit.apply(m_config), m_observations, m_memory.parameters, &m_job);
      return equalizesAll(candidate.edit, *changed) ? changed : nullptr;
    } catch (const Error& error) {
      // Contradictions inside a group, say: such a change cannot be had alone.
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
      return nullptr;
    }
  }

  // None where it cannot be had alone. What it takes is noted the first time.
  std::optional<QuantizationChanges> takeChanges(Candidate& candidate) {
    const std::shared_ptr<const QuantizedModel> changed = modelOf(candidate);
    if (changed == nullptr) return std::nullopt;
    if (!candidate.bytes) {
      candidate.bytes = bytesOf(*changed) - m_bytes;
      forEachSuggestion(candidate,
                        [&](Suggestion& suggestion) { suggestion.bytes = candidate.bytes; });
    }
    return changesBetween(m_quantized.applied, changed->applied);
  }

  // The first of them, as far as there is memory for the constants that they change.
  Applicable applicable(std::span<const std::size_t> all) {
    Applicable found;
    for (std::size_t bytes = 0; found.looked < all.size();) {
      const std::size_t i = all[found.looked++];
      std::optional<QuantizationChanges> own = takeChanges(m_candidates[i]);
      if (!own) continue;
      bytes += constantBytes(*own);
      found.candidates.push_back(i);
      found.changes.push_back(*std::move(own));
      if (bytes >= m_memory.runningBytes()) break;
    }
    return found;
  }

  // What an equalization without effect would gain says nothing.
  bool equalizesAll(const ConfigEdit& edit, const QuantizedModel& model) const {
    return std::ranges::all_of(edit.steps, [&](const ConfigStep& step) {
      if (step.place != ConfigStep::Entry::Equalize) return true;
      const NodeId node = m_engine.graph().findNode(step.name);
      return std::ranges::any_of(model.layers, [&](const LayerQuantization& layer) {
        return layer.layer.lead() == node && layer.equalized;
      });
    });
  }

  // The first of them; returns how many.
  std::size_t tryCandidates(std::span<const std::size_t> all) {
    const auto [candidates, changes, looked] = applicable(all);
    const std::string stage = stageOf(looked);
    m_tried += looked;
    if (changes.empty()) return looked;
    const std::vector<std::vector<OutputResult>> after = m_sweep.run(changes, stage);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::optional<double> worst = worstOutputSqnr(after[i]);
      if (!worst) continue;
      note(candidates[i], gainBetween(m_before.sqnrDb(), *worst), false);
      noteOutputs(candidates[i], after[i]);
      const OutputResult& result = after[i][m_before.worst];
      if (!result.error.sqnrDb) continue;
      m_margin.add(m_candidates[candidates[i]].estimate, m_before.results[m_before.worst], result);
    }
    return looked;
  }

  std::string stageOf(std::size_t count) const {
    const std::string from =
        count == 1 ? "suggestion " : "suggestions " + std::to_string(m_tried + 1) + " to ";
    return "Simulating " + from + std::to_string(m_tried + count) + " of " +
           std::to_string(m_candidates.size());
  }

  template <class Set>
  void forEachSuggestion(const Candidate& candidate, const Set& set) {
    const std::vector<Finding*> findings = allFindings(m_report);
    for (const std::size_t finding : candidate.findings) set(*findings[finding]->suggestion);
  }

  void note(std::size_t candidate, double gainDb, bool estimated) {
    forEachSuggestion(m_candidates[candidate], [&](Suggestion& suggestion) {
      suggestion.gainDb = gainDb;
      suggestion.gainEstimated = estimated;
    });
  }

  void noteOutputs(std::size_t candidate, const std::vector<OutputResult>& after) {
    if (after.size() < 2) return;
    std::vector<OutputGain> gains;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!after[i].error.sqnrDb) continue;
      gains.push_back(
          {after[i].value, gainBetween(*m_before.results[i].error.sqnrDb, *after[i].error.sqnrDb)});
    }
    forEachSuggestion(m_candidates[candidate],
                      [&](Suggestion& suggestion) { suggestion.outputGains = gains; });
  }

  DetectorReport reportSoFar() const {
    DetectorReport report = m_report;
    const auto proven = std::ranges::stable_partition(report.unproven, [](const Finding& finding) {
      return !(finding.suggestion->gainDb && *finding.suggestion->gainDb >= kClearGainDb);
    });
    report.findings.insert(report.findings.end(), std::make_move_iterator(proven.begin()),
                           std::make_move_iterator(proven.end()));
    report.unproven.erase(proven.begin(), proven.end());
    followGains(m_before.sqnrDb(), report.findings);
    sortFindings(m_quantized, report.findings);
    return report;
  }

  const Engine& m_engine;
  const Configuration& m_config;
  const QuantizedModel& m_quantized;
  const Observations& m_observations;
  Baseline m_before;
  SampleSet& m_samples;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  DetectorReport m_report;
  GainSettings m_settings;
  const GainSink& m_soFar;
  std::size_t m_atOnce;     // candidates, before a report is due
  std::size_t m_tried = 0;  // candidates
  double m_bytes;           // of all constants as they are
  SampleSet m_some;         // for what need not be measured on all
  std::optional<Sweep> m_someSweep;
  Sweep m_sweep;
  GainMargin m_margin;
  std::vector<Candidate> m_candidates;
};

}  // namespace

void simulateGains(const LoadedModel& model, const Configuration& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSet& samples, AnalysisMemory& memory,
                   JobContext& job, DetectorReport& report, const GainSink& soFar,
                   const GainSettings& settings) {
  const std::optional<Baseline> before = findBaseline(*model.graph, baseline);
  const bool any = !report.findings.empty() || !report.unproven.empty();
  if (!before || !any) return;
  report = GainSimulation(model, config, quantized, observations, *before, samples, memory, job,
                          report, settings, soFar)
               .run();
  // Only now: a project that was kept before this is analysed to the end when it is opened.
  report.outputSqnrDb = before->sqnrDb();
}

}  // namespace quantscope
