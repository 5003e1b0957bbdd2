#include "search/trial_runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/analysis_result_bytes.h"
#include "analysis/cost/summary.h"
#include "analysis/cost/weight_cost.h"
#include "analysis/errors/worst_output.h"
#include "base/error.h"
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

std::vector<std::size_t> firstOf(const std::vector<std::size_t>& feeds) {
  return {feeds.begin(), feeds.begin() + static_cast<std::ptrdiff_t>(std::min(feeds.size(), kFew))};
}

}  // namespace

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

TrialRuns::TrialRuns(const Engine& engine, const Configuration& start,
                     const Observations& observations, SampleSet& samples, const Labels& labels,
                     AnalysisMemory& memory, JobContext& job, Ranks* ranks)
    : m_engine(engine),
      m_observations(observations),
      m_labels(labels),
      m_memory(memory),
      m_job(job),
      m_ranks(ranks),
      m_split(splitHeldOut(samples.feedCount())),
      m_used(subset(samples, m_split.used), 0),
      m_few(subset(samples, firstOf(m_split.used)), 0),
      m_heldOut(subset(samples, m_split.heldOut), 0),
      m_reference(quantize(inFloat(start))),
      m_toUsed(engine, *m_reference, networkOutputs(engine), m_used, memory, job, labels),
      m_toHeldOut(engine, *m_reference, networkOutputs(engine), m_heldOut, memory, job, labels),
      m_toAll(engine, *m_reference, networkOutputs(engine), samples, memory, job, labels) {}

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
  std::vector<std::size_t> items(changes.size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  const auto run = [&](std::span<const std::size_t> some) {
    std::vector<QuantizationChanges> own;
    for (const std::size_t item : some) own.push_back(changes[item]);
    std::vector<std::string> results;
    for (const auto& outputs : sweep.run(own, stage)) results.push_back(outputsToBytes(outputs));
    return results;
  };
  std::vector<std::vector<OutputResult>> outputs;
  for (const std::string& result :
       m_ranks->share(items, run, {}, [this] { return m_job.cancelled(); })) {
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
