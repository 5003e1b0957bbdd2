#include "bench/bench_edit.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "analysis/analyze.h"
#include "analysis/twin_run.h"
#include "base/error.h"
#include "base/median.h"
#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "base/workers.h"
#include "bench/flop_count.h"
#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"
#include "precision/edits/edit_precision.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return 1e3 * secondsSince(start);
}

class EditBench {
 public:
  EditBench(const LoadedModel& model, const Configuration& config, SampleSet& samples,
            JobContext& job)
      : m_engine(*model.engine),
        m_config(config),
        m_samples(samples),
        m_job(job),
        m_memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget()),
        m_observations(calibrate(m_engine, samples, observationSettings(config, 1), job)),
        m_base(quantizeModel(m_engine, config, m_observations, m_memory.parameters, &job)),
        m_flops(flopsByNode(m_engine, samples.read(0), job.workers())) {}

  EditBenchmark run() {
    analyzeUnder(m_config, *m_base);
    for (const LayerQuantization& layer : m_base->layers) {
      m_job.throwIfCancelled();
      if (layer.quantized) edit(m_engine.graph()[layer.layer.lead()].name);
    }
    if (m_all.empty()) {
      throw Error(ErrorCode::InsufficientData, "no layer is quantized, so there is nothing to edit",
                  {}, "give a configuration that quantizes layers");
    }
    EditBenchmark result;
    result.edits = m_all.size();
    result.samples = m_samples.sampleCount();
    result.ownMs = median(m_own);
    result.firstSampleMs = median(m_first);
    result.allMs = median(m_all);
    result.worstAllMs = std::ranges::max(m_all);
    result.undoMs = median(m_undo);
    result.forwardEquivalents = std::accumulate(m_shares.begin(), m_shares.end(), 0.0) /
                                static_cast<double>(m_shares.size());
    result.peakRssMib = peakRssMib();
    return result;
  }

 private:
  void analyzeUnder(const Configuration& config, const QuantizedModel& model) {
    analyze(m_engine, config, model, m_observations, m_samples, {}, m_memory, m_job);
  }

  void edit(const std::string& layer) {
    const ConfigEdit toFloat = setPrecision(
        m_config, m_engine.graph(), {PrecisionTarget::Kind::Nodes, {layer}}, {.float32 = true});
    const Configuration config = toFloat.apply(m_config);
    const Clock::time_point start = Clock::now();
    const std::shared_ptr<const QuantizedModel> quantized =
        quantizeModel(m_engine, config, m_observations, m_memory.parameters, &m_job);
    const QuantizedModel& model = *quantized;
    const QuantizationChanges changes = changesBetween(m_base->applied, model.applied);
    if (changes.empty()) return;
    {
      const Evaluator evaluator(m_engine, m_memory.activations);
      const TwinSetup setup(evaluator, model,
                            std::vector<std::optional<Range>>(model.layers.size()));
      MeasureScope own;
      own.localOf = layersOf(setup, changes);
      if (!own.localOf.empty()) measure(setup, own, m_samples.feedCount());
      m_own.push_back(millisecondsSince(start));
      measure(setup, {.layers = false, .outputs = true, .localOf = {}}, 1);
      m_first.push_back(millisecondsSince(start));
    }
    analyzeUnder(config, model);
    m_all.push_back(millisecondsSince(start));
    m_shares.push_back(shareOf(model));

    const Clock::time_point back = Clock::now();
    analyzeUnder(m_config,
                 *quantizeModel(m_engine, m_config, m_observations, m_memory.parameters, &m_job));
    m_undo.push_back(millisecondsSince(back));
  }

  static std::vector<std::size_t> layersOf(const TwinSetup& setup,
                                           const QuantizationChanges& changes) {
    std::vector<std::size_t> layers;
    for (std::size_t i = 0; i < setup.model.layers.size(); ++i) {
      const std::vector<NodeId>& members = setup.model.layers[i].layer.members;
      const bool changed = std::ranges::any_of(changes, [&](const auto& change) {
        return std::ranges::find(members, change.first) != members.end();
      });
      if (changed && setup.layers[i].local) layers.push_back(i);
    }
    return layers;
  }

  void measure(const TwinSetup& setup, const MeasureScope& scope, std::size_t feeds) {
    m_job.workers().forEach(feeds, [&](std::size_t feed) {
      measureFeed(setup, m_samples.read(feed), scope, m_memory.errors, m_job);
    });
  }

  double shareOf(const QuantizedModel& model) const {
    const ValueKeys before(m_engine, &m_base->applied);
    const ValueKeys after(m_engine, &model.applied);
    double changed = 0;
    for (std::size_t i = 0; i < m_flops.size(); ++i) {
      const std::vector<ValueId>& outputs = m_engine.graph().nodes()[i].outputs;
      const bool differs = std::ranges::any_of(outputs, [&](ValueId output) {
        return output.valid() && before[output] != after[output];
      });
      if (differs) changed += m_flops[i];
    }
    return changed / std::max(1.0, std::accumulate(m_flops.begin(), m_flops.end(), 0.0));
  }

  const Engine& m_engine;
  const Configuration& m_config;
  SampleSet& m_samples;
  JobContext& m_job;
  AnalysisMemory m_memory;
  Observations m_observations;
  std::shared_ptr<const QuantizedModel> m_base;
  std::vector<double> m_flops;  // by node
  std::vector<double> m_own;
  std::vector<double> m_first;
  std::vector<double> m_all;
  std::vector<double> m_undo;
  std::vector<double> m_shares;
};

}  // namespace

EditBenchmark benchEdit(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                        JobContext& job) {
  return EditBench(model, config, samples, job).run();
}

}  // namespace quantscope
