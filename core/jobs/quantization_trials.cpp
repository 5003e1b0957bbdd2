#include "jobs/quantization_trials.h"

#include <algorithm>

#include "calibration/feed_loop.h"

namespace quantscope {
namespace {

// Of the float network's output, over all samples.
constexpr std::size_t kMostReferenceBytes = std::size_t{64} << 20;

PlanRequest requestFor(const Graph& graph, ValueId output) {
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.wanted = {output};
  request.kept = {output};
  return request;
}

std::vector<ChannelSums> errorsOf(const Feed& feed, const Tensor& reference, const Tensor& value) {
  std::vector<ChannelSums> samples(feed.samples);
  if (reference.defined() && value.defined() && reference.shape() == value.shape()) {
    addErrors(reference, value, {}, feed.batch, samples);
  }
  return samples;
}

}  // namespace

QuantizationTrials::QuantizationTrials(const Engine& engine, const AppliedQuantization& baseline,
                                       ValueId output, SampleSource& source, JobContext& job)
    : m_baseline(baseline),
      m_output(output),
      m_source(source),
      m_job(job),
      m_plan(engine, requestFor(engine.graph(), output)) {
  indexSteps();
}

void QuantizationTrials::indexSteps() {
  const std::vector<Plan::Step>& steps = m_plan.steps(Graph::mainBlock());
  m_stepOfNode.assign(m_plan.engine().graph().nodes().size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    placeAt(i, steps[i].node);
    for (const Plan::Step::Follower& follower : steps[i].followers) placeAt(i, follower.node);
  }
}

// With all that its bodies hold.
void QuantizationTrials::placeAt(std::size_t step, NodeId node) {
  const Graph& graph = m_plan.engine().graph();
  m_stepOfNode[node.at()] = step;
  for (const auto& [name, body] : graph[node].bodies) {
    for (const NodeId inside : graph[body].nodes) placeAt(step, inside);
  }
}

std::vector<QuantizationTrials::Trial> QuantizationTrials::orderedTrials(
    std::span<const QuantizationChanges> changes) const {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Trial trial{i, m_plan.steps(Graph::mainBlock()).size()};
    for (const auto& [node, quantization] : changes[i]) {
      trial.firstStep = std::min(trial.firstStep, m_stepOfNode[node.at()]);
    }
    trials.push_back(trial);
  }
  std::ranges::stable_sort(trials, {}, &Trial::firstStep);
  return trials;
}

std::vector<std::optional<double>> QuantizationTrials::sqnrDb(
    std::span<const QuantizationChanges> changes, const std::string& stage) {
  const std::vector<Trial> trials = orderedTrials(changes);
  std::vector<ErrorSums> sums(changes.size());
  m_job.beginStage(stage, m_source.sampleCount());
  forEachFeed(
      m_source, m_job, [&](const Feed& feed) { return runFeed(feed, changes, trials); },
      [&](const Feed& feed, FeedErrors&& errors) {
        keepReference(feed.firstSample, std::move(errors.reference));
        for (std::size_t i = 0; i < changes.size(); ++i) {
          for (const ChannelSums& sample : errors.byChange[i]) sums[i].add(total(sample));
        }
      });
  std::vector<std::optional<double>> result;
  for (const ErrorSums& each : sums) result.push_back(quantscope::sqnrDb(each));
  return result;
}

QuantizationTrials::FeedErrors QuantizationTrials::runFeed(
    const Feed& feed, std::span<const QuantizationChanges> changes,
    const std::vector<Trial>& trials) const {
  FeedErrors errors;
  errors.reference = referenceOf(feed);
  errors.byChange.resize(changes.size());
  AppliedQuantization changed = m_baseline;
  Execution baseline(m_plan, feed.inputs, &m_baseline, feed.batch);
  for (const Trial& trial : trials) {
    while (baseline.stepsDone() < trial.firstStep) {
      m_job.throwIfCancelled();
      baseline.step();
    }
    for (const auto& [node, quantization] : changes[trial.index]) {
      changed.nodes[node.at()] = quantization;
    }
    Execution run(baseline, &changed);
    finish(run);
    errors.byChange[trial.index] = errorsOf(feed, errors.reference, run.value(m_output));
    for (const auto& [node, quantization] : changes[trial.index]) {
      changed.nodes[node.at()] = m_baseline[node];
    }
  }
  return errors;
}

Tensor QuantizationTrials::referenceOf(const Feed& feed) const {
  const auto known = m_references.find(feed.firstSample);
  if (known != m_references.end()) return known->second;
  Execution run(m_plan, feed.inputs, nullptr, feed.batch);
  finish(run);
  return run.value(m_output);
}

// Large outputs of many samples are computed anew each time.
void QuantizationTrials::keepReference(std::size_t firstSample, Tensor&& reference) {
  if (m_referenceBytes + reference.byteSize() > kMostReferenceBytes) return;
  const std::size_t bytes = reference.byteSize();
  if (m_references.try_emplace(firstSample, std::move(reference)).second) m_referenceBytes += bytes;
}

void QuantizationTrials::finish(Execution& run) const {
  while (!run.finished()) {
    m_job.throwIfCancelled();
    run.step();
  }
}

}  // namespace quantscope
