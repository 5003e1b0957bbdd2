#include "jobs/simulate_gains.h"

#include <algorithm>
#include <cmath>

#include "analysis/error_metrics.h"
#include "analysis/tensor_errors.h"
#include "base/error.h"
#include "calibration/feed_loop.h"
#include "detectors/apply_changes.h"
#include "engine/execution.h"
#include "precision/known_grids.h"

namespace quantscope {
namespace {

// Suggestions that lead to the same configuration are run once.
struct Candidate {
  PrecisionConfig config;
  std::vector<Suggestion*> suggestions;
};

std::vector<Candidate> findCandidates(const PrecisionConfig& config, const Graph& graph,
                                      std::vector<Finding>& findings) {
  std::vector<Candidate> candidates;
  for (Finding& finding : findings) {
    if (!finding.suggestion || finding.suggestion->changes.empty()) continue;
    PrecisionConfig changed = withChanges(config, graph, finding.suggestion->changes);
    auto found = std::ranges::find(candidates, changed, &Candidate::config);
    if (found == candidates.end()) {
      if (candidates.size() == kMostSimulated) continue;
      found = candidates.insert(candidates.end(), {std::move(changed), {}});
    }
    found->suggestions.push_back(&*finding.suggestion);
  }
  return candidates;
}

// The first float output, and what the configuration as it is makes of it.
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

class Simulation {
 public:
  Simulation(const LoadedModel& model, const QuantizedModel& quantized,
             const Observations& observations, ValueId output, SampleSource& source,
             JobContext& job)
      : m_engine(*model.engine),
        m_known(quantized),
        m_observations(observations),
        m_output(output),
        m_source(source),
        m_job(job),
        m_plan(m_engine, planRequest()) {}

  void runReference() {
    m_job.beginStage("Simulating suggestions: the float network", m_source.sampleCount());
    forEachFeed(
        m_source, m_job, [&](const Feed& feed) { return outputOf(feed, nullptr); },
        [&](const Feed&, Tensor&& output) { m_reference.push_back(std::move(output)); });
  }

  std::optional<double> sqnrUnder(const PrecisionConfig& config, const std::string& stage) {
    const QuantizedModel model = quantizeModel(m_engine, config, m_observations, m_known, &m_job);
    m_job.beginStage(stage, m_source.sampleCount());
    ErrorSums sums;
    std::size_t index = 0;
    forEachFeed(
        m_source, m_job, [&](const Feed& feed) { return outputOf(feed, &model.applied); },
        [&](const Feed& feed, Tensor&& output) { add(feed, m_reference[index++], output, sums); });
    return sqnrDb(sums);
  }

 private:
  PlanRequest planRequest() const {
    PlanRequest request;
    request.given.assign(m_engine.graph().inputs().begin(), m_engine.graph().inputs().end());
    request.wanted = {m_output};
    request.kept = {m_output};
    return request;
  }

  Tensor outputOf(const Feed& feed, const AppliedQuantization* quantization) const {
    Execution run(m_plan, feed.inputs, quantization, feed.batch);
    while (!run.finished()) {
      m_job.throwIfCancelled();
      run.step();
    }
    return run.value(m_output);
  }

  static void add(const Feed& feed, const Tensor& reference, const Tensor& value, ErrorSums& sums) {
    if (!reference.defined() || !value.defined() || reference.shape() != value.shape()) return;
    std::vector<ChannelSums> samples(feed.samples);
    addErrors(reference, value, {}, feed.batch, samples);
    for (const ChannelSums& sample : samples) sums.add(total(sample));
  }

  const Engine& m_engine;
  KnownGrids m_known;
  const Observations& m_observations;
  ValueId m_output;
  SampleSource& m_source;
  JobContext& m_job;
  Plan m_plan;
  std::vector<Tensor> m_reference;  // by feed
};

}  // namespace

void simulateGains(const LoadedModel& model, const PrecisionConfig& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSource& source, JobContext& job,
                   DetectorReport& report) {
  const std::optional<Baseline> before = findBaseline(*model.graph, baseline);
  const std::vector<Candidate> candidates = findCandidates(config, *model.graph, report.findings);
  if (!before || candidates.empty()) return;
  Simulation simulation(model, quantized, observations, before->output, source, job);
  simulation.runReference();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::optional<double> after;
    try {
      after = simulation.sqnrUnder(candidates[i].config, "Simulating suggestion " +
                                                             std::to_string(i + 1) + " of " +
                                                             std::to_string(candidates.size()));
    } catch (const Error& error) {
      // Contradictions inside a group, say: such a change cannot be had alone.
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
    }
    if (!after) continue;
    for (Suggestion* suggestion : candidates[i].suggestions)
      suggestion->gainDb = gainOf(before->sqnrDb, *after);
  }
}

}  // namespace quantscope
