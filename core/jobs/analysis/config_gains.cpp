#include "jobs/analysis/config_gains.h"

#include <algorithm>

#include "analysis/cost/summary.h"
#include "analysis/errors/output_errors.h"
#include "analysis/sensitivity/sweep.h"
#include "analysis/twin_run.h"
#include "base/error.h"
#include "jobs/analysis/estimate_config_gains.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

class GainTrials {
 public:
  GainTrials(const AnalysisSnapshot& base, AnalysisMemory& memory, JobContext& job)
      : m_base(base),
        m_engine(*base.model.engine),
        m_memory(memory),
        m_job(job),
        m_before(worstOutputSqnr(base.result->outputs)) {}

  // A configuration that contradicts the model has no gain, nor has one that asks for ranges which
  // were not observed.
  std::shared_ptr<const QuantizedModel> quantize(const Configuration& config) const {
    const std::size_t batch = m_base.request.batch;
    if (!givesRangesOf(observationSettings(m_base.request.config, batch),
                       observationSettings(config, batch))) {
      return nullptr;
    }
    try {
      return quantizeModel(m_engine, config, *m_base.observations, m_memory.parameters, &m_job);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
      return nullptr;
    }
  }

  double moreBytes(const QuantizedModel& model) const {
    return static_cast<double>(summarize(m_engine, model, *m_base.observations).quantizedBytes) -
           static_cast<double>(m_base.result->summary.quantizedBytes);
  }

  std::optional<double> gainOnFirstSample(const QuantizedModel& model) const {
    const std::optional<double> before = firstSampleSqnr(*m_base.quantized);
    const std::optional<double> after = firstSampleSqnr(model);
    return before && after ? std::optional(gainBetween(*before, *after)) : std::nullopt;
  }

  void onAllSamples(const std::vector<std::size_t>& indices,
                    const std::vector<QuantizationChanges>& changes, ConfigGains& gains) const {
    const Graph& graph = m_engine.graph();
    Sweep sweep(m_engine, *m_base.quantized, {graph.outputs().begin(), graph.outputs().end()},
                *m_base.data, m_memory, m_job);
    const auto outputs = sweep.run(changes, "Trying other types");
    for (std::size_t i = 0; i < indices.size(); ++i) {
      ConfigGain& gain = *gains[indices[i]];
      const std::optional<double> after = worstOutputSqnr(outputs[i]);
      gain.gainDb =
          m_before && after ? std::optional(gainBetween(*m_before, *after)) : std::nullopt;
      gain.measured = true;
    }
  }

 private:
  std::optional<double> firstSampleSqnr(const QuantizedModel& model) const {
    const Evaluator evaluator(m_engine, m_memory.activations);
    const TwinSetup setup(evaluator, model, std::vector<std::optional<Range>>(model.layers.size()));
    const Feed feed = m_base.data->read(0);
    const MeasureScope scope{.layers = false, .outputs = true, .localOf = {}};
    const FeedRecords records = measureFeed(setup, feed, scope, m_memory.errors, m_job);
    std::vector<OutputResult> results;
    for (std::size_t i = 0; i < records.outputs.size(); ++i) {
      OutputErrors output(setup.graph(), setup.graph().outputs()[i], {});
      output.add(*records.outputs[i], feed.firstSample);
      results.push_back(output.result());
    }
    return worstOutputSqnr(results);
  }

  const AnalysisSnapshot& m_base;
  const Engine& m_engine;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  std::optional<double> m_before;
};

}  // namespace

ConfigGains measureConfigGains(const AnalysisSnapshot& base,
                               const std::vector<Configuration>& configs, AnalysisMemory& memory,
                               JobContext& job, const ConfigGainSink& publish) {
  const GainTrials trial(base, memory, job);
  ConfigGains gains(configs.size());
  std::vector<std::size_t> indices;
  std::vector<std::shared_ptr<const QuantizedModel>> models;
  std::vector<QuantizationChanges> changes;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    job.throwIfCancelled();
    std::shared_ptr<const QuantizedModel> model = trial.quantize(configs[i]);
    if (model == nullptr) continue;
    gains[i].emplace().bytes = trial.moreBytes(*model);
    changes.push_back(changesBetween(base.quantized->applied, model->applied));
    indices.push_back(i);
    models.push_back(std::move(model));
  }
  if (indices.empty()) return gains;
  if (publish) {
    const std::vector<std::optional<double>> estimates =
        estimateConfigGains(base, models, changes, job);
    for (std::size_t i = 0; i < indices.size(); ++i) gains[indices[i]]->gainDb = estimates[i];
    publish(gains);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (estimates[i]) continue;
      gains[indices[i]]->gainDb = trial.gainOnFirstSample(*models[i]);
      publish(gains);
    }
  }
  trial.onAllSamples(indices, changes, gains);
  if (publish) publish(gains);
  return gains;
}

}  // namespace quantscope
