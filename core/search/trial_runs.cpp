#include "search/trial_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/analysis_result_bytes.h"
#include "analysis/cost/summary.h"
#include "analysis/cost/weight_cost.h"
#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "calibration/recordings.h"
#include "precision/backend/backend_content.h"
#include "precision/config/layer_alone.h"

namespace quantscope {
namespace {

std::vector<ValueId> networkOutputs(const Engine& engine) {
  return {engine.graph().outputs().begin(), engine.graph().outputs().end()};
}

std::unique_ptr<SampleSubset> subset(SampleSource& samples, const std::vector<std::size_t>& feeds) {
  return std::make_unique<SampleSubset>(samples, feeds);
}

// Enough for a first ranking.
constexpr std::size_t kFew = 2;
// Enough to keep all workers busy.
constexpr std::size_t kPreparedBetweenReports = 64;

ContentId idOfChanges(const QuantizedModel& base, const std::vector<QuantizationChanges>& changes) {
  ContentHasher hasher;
  for (std::size_t node = 0; node < base.applied.size(); ++node) {
    hasher.add(base.applied.effect(NodeId(node)));
  }
  for (const QuantizationChanges& change : changes) {
    hasher.add(std::uint64_t{change.size()});
    for (const auto& [node, applied] : change) {
      hasher.add(std::uint64_t{node.at()});
      hasher.add(applied != nullptr ? applied->effect : ContentId());
    }
  }
  return hasher.id();
}

std::vector<std::size_t> firstOf(const std::vector<std::size_t>& feeds) {
  return {feeds.begin(), feeds.begin() + static_cast<std::ptrdiff_t>(std::min(feeds.size(), kFew))};
}

}  // namespace

const char* const kNothingHeldOut =
    "the data are too few to hold some out, so changes are judged by the samples that they were "
    "chosen by, and may help less on others: give at least 4 samples, or 2 batches where the "
    "model fixes its batch";

std::optional<double> noisePower(const OutputResult& output) {
  if (!output.error.sqnrDb) return std::nullopt;
  return std::min(std::pow(10.0, -*output.error.sqnrDb / 10), kSpoiltNoise);
}

double worstNoise(const std::vector<OutputResult>& outputs) {
  double worst = 0;
  for (const OutputResult& output : outputs) {
    worst = std::max(worst, noisePower(output).value_or(0));
  }
  return worst;
}

// Scores that are lost are no drop of 0.
double largestDrop(const Trial& trial) {
  if (!trial.point.drop) return std::numeric_limits<double>::infinity();
  return std::max(
      {*trial.point.drop, dropOf(trial.used).value_or(0), dropOf(trial.heldOut).value_or(0)});
}

TrialRuns::TrialRuns(const Engine& engine, const Configuration& start,
                     const Observations& observations, SampleSet& samples, const Labels& labels,
                     AnalysisMemory& memory, JobContext& job, JointRanks* ranks)
    : m_engine(engine),
      m_observations(observations),
      m_labels(labels),
      m_memory(memory),
      m_job(job),
      m_ranks(ranks),
      m_split(splitHeldOut(samples, recordingStarts(engine, memory.activations, samples, job))),
      m_used(subset(samples, m_split.used), 0),
      m_few(subset(samples, firstOf(m_split.used)), 0),
      m_heldOut(subset(samples, m_split.heldOut), 0),
      m_reference(quantize(inFloat(start))),
      m_toUsed(engine, *m_reference, networkOutputs(engine), m_used, memory, job, labels),
      m_toHeldOut(engine, *m_reference, networkOutputs(engine), m_heldOut, memory, job, labels),
      m_toAll(engine, *m_reference, networkOutputs(engine), samples, memory, job, labels) {}

std::size_t TrialRuns::classified() const {
  const std::size_t samples = m_used.sampleCount() + m_heldOut.sampleCount();
  return m_labels.classes.empty() ? samples : std::min(samples, m_labels.classes.size());
}

void TrialRuns::prepareEach(const std::string& stage, std::size_t count,
                            const std::function<void(std::size_t)>& prepare) {
  m_job.beginStage(stage, count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t next = std::min(kPreparedBetweenReports, count - done);
    m_job.workers().forEach(next, [&](std::size_t i) { prepare(done + i); });
    done += next;
    m_job.advance(done);
    m_job.throwIfCancelled();
  }
}

std::shared_ptr<const QuantizedModel> TrialRuns::quantize(const Configuration& config) const {
  try {
    return quantizeModel(m_engine, config, m_observations, m_memory.parameters, &m_job);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidConfiguration) throw;
    return nullptr;
  }
}

QuantizationSummary TrialRuns::summaryOf(const QuantizedModel& model) const {
  return summarize(m_engine, model, m_observations);
}

Trial TrialRuns::run(const Configuration& config, std::shared_ptr<const QuantizedModel> model,
                     const std::string& stage) {
  if (m_ranks != nullptr) m_ranks->meet(namedByContent(config).id(), m_job);
  Trial trial;
  trial.config = config;
  trial.model = std::move(model);
  trial.used = outputs(m_toUsed, *trial.model, stage);
  if (holdsOut()) trial.heldOut = outputs(m_toHeldOut, *trial.model, stage);
  // Known by now, but for the sums.
  trial.all = outputs(m_toAll, *trial.model, stage);
  trial.point.bits = allWeightsCost(m_engine, *trial.model).meanBits();
  const QuantizationSummary summary = summaryOf(*trial.model);
  trial.point.bytes = static_cast<double>(summary.quantizedBytes);
  trial.macsAbove8Bits = summary.macsAbove8Bits;
  trial.point.drop = dropOf(trial.all);
  trial.point.sqnrDb = worstOutputSqnr(trial.all);
  return trial;
}

std::vector<std::vector<OutputResult>> TrialRuns::runChanges(
    const QuantizedModel& base, const std::vector<QuantizationChanges>& changes,
    const std::string& stage, Samples samples) {
  SampleSet& set = samples == Samples::Few ? m_few : m_used;
  Sweep sweep(m_engine, base, networkOutputs(m_engine), set, m_memory, m_job, m_labels);
  if (m_ranks == nullptr) return sweep.run(changes, stage);
  const auto run = [&](std::span<const std::size_t> some) {
    std::vector<QuantizationChanges> own;
    for (const std::size_t item : some) own.push_back(changes[item]);
    std::vector<std::string> results;
    for (const auto& outputs : sweep.run(own, stage)) results.push_back(outputsToBytes(outputs));
    return results;
  };
  std::vector<std::vector<OutputResult>> outputs;
  for (const std::string& result :
       m_ranks->share(changes.size(), idOfChanges(base, changes), run, m_job)) {
    outputs.push_back(outputsFromBytes(result));
  }
  return outputs;
}

std::vector<OutputResult> TrialRuns::outputs(Sweep& sweep, const QuantizedModel& model,
                                             const std::string& stage) {
  const std::vector<QuantizationChanges> change{
      changesBetween(m_reference->applied, model.applied)};
  return sweep.run(change, stage).front();
}

}  // namespace quantscope
