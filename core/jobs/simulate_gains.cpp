#include "jobs/simulate_gains.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "analysis/sweep.h"
#include "base/error.h"
#include "detectors/apply_changes.h"
#include "detectors/finding_order.h"

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

/// A suggestion to try. Those that lead to the same configuration are tried once.
struct Candidate {
  ConfigEdit edit;
  std::vector<std::size_t> findings;  ///< that suggest it: the report's, then the unproven ones
};

/// The first float output, and what the configuration as it is makes of it.
struct Baseline {
  ValueId output;
  double sqnrDb = 0;
};

std::optional<Baseline> findBaseline(const Graph& graph, const AnalysisResult& result) {
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (result.outputs[i].error.count == 0) continue;
    const std::optional<double>& sqnr = result.outputs[i].error.sqnrDb;
    if (!sqnr) return std::nullopt;
    return Baseline{graph.outputs()[i], *sqnr};
  }
  return std::nullopt;
}

double gainOf(double before, double after) {
  return before == after ? 0 : after - before;  // ∞ − ∞ is no gain
}

std::vector<Finding*> allFindings(DetectorReport& report) {
  std::vector<Finding*> all;
  for (Finding& finding : report.findings) all.push_back(&finding);
  for (Finding& finding : report.unproven) all.push_back(&finding);
  return all;
}

class GainSimulation {
 public:
  GainSimulation(const LoadedModel& model, const Configuration& config,
                 const QuantizedModel& quantized, const Observations& observations,
                 const Baseline& before, SampleSet& samples, AnalysisMemory& memory,
                 JobContext& job, const DetectorReport& report)
      : m_engine(*model.engine),
        m_config(config),
        m_quantized(quantized),
        m_observations(observations),
        m_before(before),
        m_job(job),
        m_report(report),
        m_parameters(memory.parameters),
        m_sweep(m_engine, quantized, {before.output}, samples, memory, job) {
    findCandidates();
  }

  DetectorReport run(const GainSink& soFar) {
    std::size_t count = soFar ? kFirstCandidates : kMaxUnwatched;
    for (std::size_t first = 0; first < m_candidates.size();) {
      if (first > 0 && soFar) soFar(reportSoFar());
      const Clock::time_point start = Clock::now();
      const std::size_t tried = std::min(count, m_candidates.size() - first);
      tryCandidates(first, tried);
      first += tried;
      const std::chrono::duration<double> took = Clock::now() - start;
      if (soFar) count = countForNextReport(tried, took.count());
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
      addCandidate(editOf(m_config, m_engine.graph(), suggestion->changes, {}), i);
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

  // How many there are at once changes nothing about the results.
  static std::size_t countForNextReport(std::size_t count, double took) {
    const double most = kMaxGrowth * static_cast<double>(count);
    const double wanted =
        static_cast<double>(count) * kSecondsBetweenReports / std::max(took, 1e-9);
    return static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
  }

  std::optional<QuantizationChanges> changesOf(const Candidate& candidate) const {
    m_job.throwIfCancelled();
    try {
      const std::shared_ptr<const QuantizedModel> changed = quantizeModel(
          m_engine, candidate.edit.apply(m_config), m_observations, m_parameters, &m_job);
      if (!equalizesAll(candidate.edit, *changed)) return std::nullopt;
      return changesBetween(m_quantized.applied, changed->applied);
    } catch (const Error& error) {
      // Contradictions inside a group, say: such a change cannot be had alone.
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
      return std::nullopt;
    }
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

  void tryCandidates(std::size_t first, std::size_t count) {
    std::vector<QuantizationChanges> changes;
    std::vector<std::size_t> candidates;
    for (std::size_t i = first; i < first + count; ++i) {
      std::optional<QuantizationChanges> own = changesOf(m_candidates[i]);
      if (!own) continue;
      changes.push_back(*std::move(own));
      candidates.push_back(i);
    }
    if (changes.empty()) return;
    const std::string from =
        count == 1 ? "suggestion " : "suggestions " + std::to_string(first + 1) + " to ";
    const std::string stage = "Simulating " + from + std::to_string(first + count) + " of " +
                              std::to_string(m_candidates.size());
    const std::vector<std::vector<OutputResult>> after = m_sweep.run(changes, stage);
    const std::vector<Finding*> findings = allFindings(m_report);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::optional<double>& sqnr = after[i].front().error.sqnrDb;
      if (!sqnr) continue;
      for (const std::size_t finding : m_candidates[candidates[i]].findings) {
        findings[finding]->suggestion->gainDb = gainOf(m_before.sqnrDb, *sqnr);
      }
    }
  }

  DetectorReport reportSoFar() const {
    DetectorReport report = m_report;
    report.outputSqnrDb = m_before.sqnrDb;
    const auto proven = std::ranges::stable_partition(report.unproven, [](const Finding& finding) {
      return !(finding.suggestion->gainDb && *finding.suggestion->gainDb >= kClearGainDb);
    });
    report.findings.insert(report.findings.end(), std::make_move_iterator(proven.begin()),
                           std::make_move_iterator(proven.end()));
    report.unproven.erase(proven.begin(), proven.end());
    sortFindings(m_quantized, report.findings);
    return report;
  }

  const Engine& m_engine;
  const Configuration& m_config;
  const QuantizedModel& m_quantized;
  const Observations& m_observations;
  Baseline m_before;
  JobContext& m_job;
  DetectorReport m_report;
  ParameterCache& m_parameters;
  Sweep m_sweep;
  std::vector<Candidate> m_candidates;
};

}  // namespace

void simulateGains(const LoadedModel& model, const Configuration& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSet& samples, AnalysisMemory& memory,
                   JobContext& job, DetectorReport& report, const GainSink& soFar) {
  const std::optional<Baseline> before = findBaseline(*model.graph, baseline);
  const bool any = !report.findings.empty() || !report.unproven.empty();
  if (!before || !any) return;
  report =
      GainSimulation(model, config, quantized, observations, *before, samples, memory, job, report)
          .run(soFar);
}

}  // namespace quantscope
